import type { Schema } from '@family-watch/client/rest/schemas';
import { errorReasonOf } from '../error-reason.js';
import { waitForBothAdults } from '../center-messages.js';
import type { SchoolDay } from '../school-day.js';
import { assert } from '../scene.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

/** How long servers usually wait for an answer, before the next of the contacts gets an SMS. Milliseconds. */
const LONGEST_STEP_MS = 30_000;

export const sosRaised: Scene = {
  expectation: 'Mia called for help, and everybody was told at once',
  async run(day) {
    const since = Date.now();
    const { sosId } = await day.watch.raiseSos();
    day.watch.log('calls for help');
    const took = await waitForBothAdults(day, 'SOS_RAISED', 'hears Mia call for help', since, isAbout(sosId));
    const refused = await errorReasonOf(day.care.reboot());
    assert(refused === 'SOS_ACTIVE', `the watch may be silenced meanwhile: ${refused}`);
    day.mother.log('cannot restart the watch now: SOS_ACTIVE');
    return took;
  },
};

export const sosEscalated: Scene = {
  expectation: 'nobody answered, so the first of the contacts was told again, by SMS as well',
  async run(day) {
    const { mother, witness } = day;
    const open = await openCall(day);
    const { took } = await witness.waitFor(
      mother.name,
      'is told once more, because nobody has answered',
      open.raisedAt,
      () => mother.news.of('SOS_ESCALATED').find(isAbout(open.sosId)),
      witness.patience + LONGEST_STEP_MS,
    );
    await witness.waitFor(mother.name, 'has an SMS', open.raisedAt, async () =>
      (await mother.smsAboutSos()) > 0 ? observedNow({}) : undefined,
    );
    return `mother after ${took} ms`;
  },
};

export const sosAcknowledged: Scene = {
  expectation: 'somebody took care of the call, and the others know who',
  async run(day) {
    const { granny, sos } = day;
    const { sosId } = await openCall(day);
    const since = Date.now();
    await sos.granny.acknowledge(sosId);
    const byGranny = `user:${granny.userId}`;
    const isGranny = (by: unknown) => by === byGranny;
    const took = await waitForBothAdults(day, 'SOS_ACKNOWLEDGED', 'knows who takes care', since, ({ params }) => {
      return params['sosId'] === sosId && isGranny(params['by']);
    });
    const call = await sos.mother.find(sosId);
    assert(call?.state === 'ACKNOWLEDGED' && isGranny(call.acknowledgedBy), `the call is ${String(call?.state)}`);
    assert(call.nextStepAt === null, 'somebody else will be told, although it is taken care of');
    return took;
  },
};

export const sosResolved: Scene = {
  expectation: 'the call for help was resolved',
  async run(day) {
    const { sosId } = await openCall(day);
    const since = Date.now();
    await day.sos.mother.resolve(sosId);
    const took = await waitForBothAdults(day, 'SOS_RESOLVED', 'hears that all is well', since, isAbout(sosId));
    const call = await day.sos.granny.find(sosId);
    assert(call?.state === 'RESOLVED', `the call is ${String(call?.state)}`);
    return took;
  },
};

const isAbout =
  (sosId: string) =>
  ({ params }: { params: Record<string, unknown> }): boolean =>
    params['sosId'] === sosId;

async function openCall({ sos }: SchoolDay): Promise<Schema<'SosDto'>> {
  const open = await sos.granny.findOpen();
  if (!open) throw new Error('no call for help is open');
  return open;
}
