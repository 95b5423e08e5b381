import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

const VIDEO_CALL = '/apis/v2/message/video-call/';

/** A call of a household. */
export interface CallIds {
  /** From the guardian to the watch, and over: so it changes no more by itself. */
  callId: string;
}

export async function callIdsOf({ guardian, cid }: FamilyFixture): Promise<CallIds> {
  const { callId } = await expectOk(guardian.post<CallIds>(`${VIDEO_CALL}create`, { to: { cid } }));
  await expectOk(guardian.post(`${VIDEO_CALL}hangup`, { callId }));
  return { callId };
}

export function callIdsOfNothing(): CallIds {
  return { callId: randomUUID() };
}
