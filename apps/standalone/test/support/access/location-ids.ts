import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { WATCH_SIDE } from '../watch.js';

const REPORTED_AT = 1_790_000_000_000;

/** What guardians begin with the positions of their child, and can name. */
export interface LocationIds {
  /** Of a link that stands. */
  shareId: string;
  /** When the watch was at the position that requests name. */
  reportedAt: number;
}

export async function locationIdsOf({ owner, watch, cid }: FamilyFixture): Promise<LocationIds> {
  const place = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1, positionTime: REPORTED_AT };
  await expectOk(watch.post(`${WATCH_SIDE}location/report`, { points: [place] }));
  const { shareId } = await expectOk(owner.post<{ shareId: string }>('location/share/create', { cid }));
  return { shareId, reportedAt: REPORTED_AT };
}

/** As well formed as real ones, of nothing. */
export function locationIdsOfNothing(): LocationIds {
  return { shareId: randomUUID(), reportedAt: REPORTED_AT };
}
