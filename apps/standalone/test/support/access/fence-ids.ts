import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** What a household has put up around its child. */
export interface FenceIds {
  fenceId: string;
}

/** A circle of half a kilometre around the Bund. */
export const CIRCLE = { latitude: '31.2400', longitude: '121.4900', radius: 500 };

export async function fenceIdsOf({ owner, cid }: FamilyFixture): Promise<FenceIds> {
  const { fenceId } = await expectOk(owner.post<FenceIds>('fence/create', { cid, name: 'The Bund', circle: CIRCLE }));
  return { fenceId };
}

export function fenceIdsOfNothing(): FenceIds {
  return { fenceId: randomUUID() };
}
