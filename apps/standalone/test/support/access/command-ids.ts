import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { Watch, WATCH_PATH } from '../watch.js';

/** Ids of a friendship, a remote command, a location request and an SOS. */
export interface CommandIds {
  /** Friend code of a sibling's watch. */
  friendCode: string;
  /** Id of the accepted friend request of a sibling's watch. */
  applicationId: string;
  /** Id of a completed command. */
  commandId: string;
  /** Id of an answered location request. */
  askId: string;
  /** Id of a resolved SOS. */
  sosId: string;
}

export async function commandIdsOf({ owner, watch, cid }: FamilyFixture): Promise<CommandIds> {
  const { did } = watch;
  const sibling = await Watch.enrolAndBind(owner, await owner.createChild({ name: 'Mila' }));
  const { friendCode } = await expectOk(sibling.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}));
  const { applicationId } = await expectOk(
    owner.post<{ applicationId: string }>('device/friends/apply', { did, friendCode }),
  );
  await expectOk(owner.post('device/friends/confirm', { did: sibling.did, applicationId }));

  const { commandId } = await expectOk(owner.post<{ commandId: string }>('device/remote-control/find', { did }));
  await expectOk(watch.post(`${WATCH_PATH}command/result`, { commandId, ok: true }));

  const { askId } = await expectOk(owner.post<{ askId: string }>('location/ask', { did }));
  const point = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1, positionTime: Date.now() };
  await expectOk(watch.post(`${WATCH_PATH}location/report`, { points: [point] }));

  const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, {}));
  await expectOk(owner.post('sos/resolve', { cid, sosId }));
  return { friendCode, applicationId, commandId, askId, sosId };
}

/** Returns well-formed ids of resources that do not exist. */
export function unknownCommandIds(): CommandIds {
  const [applicationId, commandId, askId, sosId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  return { friendCode: '0123456789', applicationId, commandId, askId, sosId };
}
