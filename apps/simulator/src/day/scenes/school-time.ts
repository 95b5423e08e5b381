import { pollUntil } from '../../retry.js';
import { wallClockTime, errorReasonOf, assert, type Scene } from '../scene.js';
import type { SchoolDay } from '../school-day.js';
import { observedNow } from '../delivery-observer.js';

const HOUR_MS = 60 * 60_000;
/** Milliseconds within which the service must enforce changed child rules in every process. */
const ENFORCED_WITHIN_MS = 2_000;
const REJECTED_TEXT = 'What are you learning?';
const GUARDIAN_CHAT_TEXT = 'I will fetch you at four';
const TEXT_AFTER_SCHOOL = 'How was school?';

export const schoolTimeBegins: Scene = {
  expectation: 'the watch applies a school time that begins now',
  async run({ mother, child, watchActions, watch, observer }) {
    const since = Date.now();
    // The demo may run at any time of the day, so the school time begins an hour before now.
    await watchActions.setSchoolTime(
      wallClockTime(since - HOUR_MS, child.timeZone),
      wallClockTime(since + 2 * HOUR_MS, child.timeZone),
    );
    const { version, delayMs } = await observer.waitFor(
      mother.name,
      'sees that school time is active',
      since,
      async () => {
        const times = await watchActions.getSchoolTimes();
        return times.state === 'APPLIED' && times.current !== null ? observedNow(times) : undefined;
      },
    );
    assert(watch.settings.current.SCHOOL_DISABLE?.current != null, 'the watch did not store the school time');
    return `version ${version}, after ${delayMs} ms`;
  },
};

export const schoolTimeEnforced: Scene = {
  expectation: 'during school time only allowed contacts can reach the child',
  async run({ mother, granny, child, watch, observer }) {
    const conversation = await waitForConversationId(granny, child.cid);
    const since = Date.now();
    let acceptedCount = 0;
    const isRejected = async () => {
      const reason = await errorReasonOf(granny.sendText(conversation, REJECTED_TEXT));
      if (reason === 'accepted') acceptedCount += 1;
      return reason === 'SCHOOL_TIME' || undefined;
    };
    await pollUntil("granny's message to be rejected", isRejected, ENFORCED_WITHIN_MS);
    granny.log(`writes to Mia and is rejected: SCHOOL_TIME (after ${Date.now() - since} ms)`);
    const callReason = await errorReasonOf(granny.callWatch(child.cid));
    assert(callReason === 'SCHOOL_TIME', `the response to granny's call is ${callReason}`);
    granny.log('calls Mia and is rejected: SCHOOL_TIME');
    const sentAt = Date.now();
    await mother.sendText(await waitForConversationId(mother, child.cid), GUARDIAN_CHAT_TEXT);
    const { delayMs } = await observer.waitFor('watch', 'shows the message of the mother, who is allowed', sentAt, () =>
      findTexts(watch, GUARDIAN_CHAT_TEXT).at(0),
    );
    assert(findTexts(watch, REJECTED_TEXT).length <= acceptedCount, 'the watch shows a rejected message');
    assert(watch.incoming.ofKind('VideoCallInNoticeMessage').length === 0, 'the watch rang');
    return `granny: SCHOOL_TIME, mother after ${delayMs} ms`;
  },
};

export const schoolTimeEnds: Scene = {
  expectation: 'after school time all contacts can reach the child again',
  async run({ granny, child, watchActions, watch, observer }) {
    const conversation = await waitForConversationId(granny, child.cid);
    const since = Date.now();
    await watchActions.pauseSchoolToday();
    const isAccepted = async () =>
      (await errorReasonOf(granny.sendText(conversation, TEXT_AFTER_SCHOOL))) === 'accepted' || undefined;
    await pollUntil("granny's message to be accepted", isAccepted, ENFORCED_WITHIN_MS);
    const { delayMs } = await observer.waitFor('watch', "shows granny's message", since, () =>
      findTexts(watch, TEXT_AFTER_SCHOOL).at(0),
    );
    return `after ${delayMs} ms`;
  },
};

function findTexts({ incoming }: SchoolDay['watch'], text: string) {
  return incoming.ofKind('ChatTextMessage').filter(({ message }) => message.payload.text === text);
}

function waitForConversationId(person: SchoolDay['mother'], cid: string): Promise<string> {
  return pollUntil(`the conversation of ${person.name} and Mia`, () => person.findConversationId(cid));
}
