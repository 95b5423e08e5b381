import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

/** Id of a fence of the child. */
export interface FenceIds {
  fenceId: string;
}

/** A circle with a radius of 500 metres around the Bund. */
export const CIRCLE = { latitude: '31.2400', longitude: '121.4900', radius: 500 };

export async function fenceIdsOf({ owner, cid }: FamilyFixture): Promise<FenceIds> {
  const { fenceId } = await expectOk(owner.post<FenceIds>('fence/create', { cid, name: 'The Bund', circle: CIRCLE }));
  return { fenceId };
}

export function unknownFenceIds(): FenceIds {
  return { fenceId: randomUUID() };
}
