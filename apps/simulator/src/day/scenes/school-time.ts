import { pollUntil } from '../../retry.js';
import { wallClockTime } from '../clock.js';
import { errorReasonOf } from '../error-reason.js';
import type { SchoolDay } from '../school-day.js';
import { assert } from '../scene.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

const HOUR = 60 * 60_000;
/** How long the service has until a rule holds everywhere, milliseconds. */
const HOLDS_WITHIN_MS = 2_000;
const REFUSED = 'What are you learning?';
const LET_THROUGH = 'I will fetch you at four';
const AFTER_SCHOOL = 'How was school?';

export const schoolTimeBegins: Scene = {
  expectation: 'school time began, and was applied by the watch',
  async run({ mother, child, care, watch, witness }) {
    const since = Date.now();
    // Around now, whatever the hour is: the day of the demo is shorter than that of a school.
    await care.setSchoolTime(
      wallClockTime(since - HOUR, child.timeZone),
      wallClockTime(since + 2 * HOUR, child.timeZone),
    );
    const { version, took } = await witness.waitFor(mother.name, 'sees that it is school time now', since, async () => {
      const times = await care.schoolTimes();
      return times.state === 'APPLIED' && times.current !== null ? observedNow(times) : undefined;
    });
    assert(watch.settings.current.SCHOOL_DISABLE?.current != null, 'the watch does not know of it');
    return `version ${version}, after ${took} ms`;
  },
};

export const schoolTimeEnforced: Scene = {
  expectation: 'at school the child is reached by those alone who may: the server refuses the others',
  async run({ mother, granny, child, watch, witness }) {
    const conversation = await conversationOf(granny, child.cid);
    const since = Date.now();
    let accepted = 0;
    const isRefused = async () => {
      const reason = await errorReasonOf(granny.sendText(conversation, REFUSED));
      if (reason === 'accepted') accepted += 1;
      return reason === 'SCHOOL_TIME' || undefined;
    };
    await pollUntil('a message of granny to be refused', isRefused, HOLDS_WITHIN_MS);
    granny.log(`writes to Mia and is refused: SCHOOL_TIME (after ${Date.now() - since} ms)`);
    const called = await errorReasonOf(granny.callWatch(child.cid));
    assert(called === 'SCHOOL_TIME', `a call of granny was answered with ${called}`);
    granny.log('calls Mia and is refused: SCHOOL_TIME');
    const sent = Date.now();
    await mother.sendText(await conversationOf(mother, child.cid), LET_THROUGH);
    const { took } = await witness.waitFor('watch', 'shows what the mother wrote, who may', sent, () =>
      textsOf(watch, LET_THROUGH).at(0),
    );
    assert(textsOf(watch, REFUSED).length <= accepted, 'the watch shows what was refused');
    assert(watch.arrivals.of('VideoCallInNoticeMessage').length === 0, 'the watch rang');
    return `granny: SCHOOL_TIME, mother after ${took} ms`;
  },
};

export const schoolTimeEnds: Scene = {
  expectation: 'when school is over, everybody reaches the child again',
  async run({ granny, child, care, watch, witness }) {
    const conversation = await conversationOf(granny, child.cid);
    const since = Date.now();
    await care.pauseSchoolToday();
    const accepted = async () =>
      (await errorReasonOf(granny.sendText(conversation, AFTER_SCHOOL))) === 'accepted' || undefined;
    await pollUntil('a message of granny to be accepted', accepted, HOLDS_WITHIN_MS);
    const { took } = await witness.waitFor('watch', 'shows what granny wrote', since, () =>
      textsOf(watch, AFTER_SCHOOL).at(0),
    );
    return `after ${took} ms`;
  },
};

function textsOf({ arrivals }: SchoolDay['watch'], text: string) {
  return arrivals.of('ChatTextMessage').filter(({ message }) => message.payload.text === text);
}

function conversationOf(person: SchoolDay['mother'], cid: string): Promise<string> {
  return pollUntil(`the conversation of ${person.name} and Mia`, () => person.conversationWith(cid));
}
