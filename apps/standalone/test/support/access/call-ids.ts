import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

const VIDEO_CALL = '/apis/v2/message/video-call/';

/** Id of a video call of the family. */
export interface CallIds {
  /** Id of a call from the guardian to the watch. The call has ended, so its state no longer changes. */
  callId: string;
}

export async function callIdsOf({ guardian, cid }: FamilyFixture): Promise<CallIds> {
  const { callId } = await expectOk(guardian.post<CallIds>(`${VIDEO_CALL}create`, { to: { cid } }));
  await expectOk(guardian.post(`${VIDEO_CALL}hangup`, { callId }));
  return { callId };
}

export function unknownCallIds(): CallIds {
  return { callId: randomUUID() };
}
