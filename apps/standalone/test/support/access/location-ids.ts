import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { WATCH_PATH } from '../watch.js';

const REPORTED_AT = 1_790_000_000_000;

/** Ids of a location share and a location point of the child. */
export interface LocationIds {
  /** Id of an active location share. */
  shareId: string;
  /** `positionTime` of the reported point, in Unix milliseconds. */
  reportedAt: number;
}

export async function locationIdsOf({ owner, watch, cid }: FamilyFixture): Promise<LocationIds> {
  const point = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1, positionTime: REPORTED_AT };
  await expectOk(watch.post(`${WATCH_PATH}location/report`, { points: [point] }));
  const { shareId } = await expectOk(owner.post<{ shareId: string }>('location/share/create', { cid }));
  return { shareId, reportedAt: REPORTED_AT };
}

/** Returns a well-formed id of a share that does not exist. */
export function unknownLocationIds(): LocationIds {
  return { shareId: randomUUID(), reportedAt: REPORTED_AT };
}
