import { setTimeout as sleep } from 'node:timers/promises';
import { responseData } from '@family-watch/client';
import type { DemoFamily } from './demo-family.js';
import type { Participant } from './conversations.js';

const CALL_PATH = '/apis/v2/message/video-call';
/** Duration of the accepted call in the call log. */
const CALL_DURATION_MS = 4_000;

type Reaction = 'accept' | 'reject' | 'hangup';

/** An accepted call of the mother, a rejected one of granny, and one of Leo that his mother missed. */
export async function callEachOther({ mother, granny, mia, leo }: DemoFamily): Promise<void> {
  const [watchOfMia, watchOfLeo] = [mia.watch.connection, leo.watch.connection];
  const talk = await call(mother, { cid: mia.child.cid });
  await react(watchOfMia, 'accept', talk);
  await sleep(CALL_DURATION_MS);
  await react(mother, 'hangup', talk);
  await react(watchOfLeo, 'reject', await call(granny, { cid: leo.child.cid }));
  await react(watchOfLeo, 'hangup', await call(watchOfLeo, { userId: mother.userId }));
  mother.log('has called Mia and missed a call of Leo');
}

async function call({ api }: Participant, to: { cid: string } | { userId: string }): Promise<string> {
  return (await responseData(api.POST(`${CALL_PATH}/create`, { body: { to } }))).callId;
}

export async function react({ api }: Participant, reaction: Reaction, callId: string): Promise<void> {
  await responseData(api.POST(`${CALL_PATH}/${reaction}`, { body: { callId } }));
}
