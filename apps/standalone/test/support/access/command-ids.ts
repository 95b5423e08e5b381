import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { Watch, WATCH_SIDE } from '../watch.js';

/** What guardians and watches begin with each other, and can name. */
export interface CommandIds {
  /** What the watch of a sibling shows. */
  friendCode: string;
  /** The friendship with that sibling. */
  applicationId: string;
  /** Of a command that is done. */
  commandId: string;
  /** Of a question that is answered. */
  askId: string;
  /** Of a call for help that is resolved. */
  sosId: string;
}

export async function commandIdsOf({ owner, watch, cid }: FamilyFixture): Promise<CommandIds> {
  const { did } = watch;
  const sibling = await Watch.boundTo(owner, await owner.createChild({ name: 'Mila' }));
  const { friendCode } = await expectOk(sibling.post<{ friendCode: string }>(`${WATCH_SIDE}friend-code/create`, {}));
  const { applicationId } = await expectOk(
    owner.post<{ applicationId: string }>('device/friends/apply', { did, friendCode }),
  );
  await expectOk(owner.post('device/friends/confirm', { did: sibling.did, applicationId }));

  const { commandId } = await expectOk(owner.post<{ commandId: string }>('device/remote-control/find', { did }));
  await expectOk(watch.post(`${WATCH_SIDE}command/result`, { commandId, ok: true }));

  const { askId } = await expectOk(owner.post<{ askId: string }>('location/ask', { did }));
  const place = { latitude: '31.2304', longitude: '121.4737', radius: 12, pointType: 1, positionTime: Date.now() };
  await expectOk(watch.post(`${WATCH_SIDE}location/report`, { points: [place] }));

  const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_SIDE}sos/raise`, {}));
  await expectOk(owner.post('sos/resolve', { cid, sosId }));
  return { friendCode, applicationId, commandId, askId, sosId };
}

/** As well formed as real ones, of nothing. */
export function commandIdsOfNothing(): CommandIds {
  const [applicationId, commandId, askId, sosId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  return { friendCode: '0123456789', applicationId, commandId, askId, sosId };
}
