import type { Schema } from '@family-watch/client';
import { errorReasonOf, assert, type Scene } from '../scene.js';
import { waitForBothAdults, type SchoolDay } from '../school-day.js';
import { observedNow } from '../delivery-observer.js';

/** Milliseconds without an acknowledgement after which the service notifies the next contact by SMS, by default. */
const MAX_ESCALATION_STEP_MS = 30_000;

export const sosRaised: Scene = {
  expectation: 'both adults are alerted when Mia raises an SOS',
  async run(day) {
    const since = Date.now();
    const { sosId } = await day.watch.raiseSos();
    day.watch.log('raises an SOS');
    const delays = await waitForBothAdults(day, 'SOS_RAISED', 'is alerted of the SOS', since, isAboutSos(sosId));
    const rejection = await errorReasonOf(day.watchActions.sendRebootCommand());
    assert(rejection === 'SOS_ACTIVE', `a restart during the SOS was not rejected: ${rejection}`);
    day.mother.log('cannot restart the watch now: SOS_ACTIVE');
    return delays;
  },
};

export const sosEscalated: Scene = {
  expectation: 'without an acknowledgement the first contact is alerted again, also by SMS',
  async run(day) {
    const { mother, observer } = day;
    const open = await findOpenSos(day);
    const { delayMs } = await observer.waitFor(
      mother.name,
      'is alerted again because the SOS is not acknowledged',
      open.raisedAt,
      () => mother.centerMessages.ofType('SOS_ESCALATED').find(isAboutSos(open.sosId)),
      { timeoutMs: observer.timeoutMs + MAX_ESCALATION_STEP_MS },
    );
    await observer.waitFor(mother.name, 'receives an SMS', open.raisedAt, async () =>
      (await mother.countSosSms()) > 0 ? observedNow({}) : undefined,
    );
    return `mother after ${delayMs} ms`;
  },
};

export const sosAcknowledged: Scene = {
  expectation: 'granny acknowledges the SOS and both adults see it',
  async run(day) {
    const { granny, sos } = day;
    const { sosId } = await findOpenSos(day);
    const since = Date.now();
    await sos.granny.acknowledge(sosId);
    const byGranny = `user:${granny.userId}`;
    const isGranny = (by: unknown) => by === byGranny;
    const delays = await waitForBothAdults(
      day,
      'SOS_ACKNOWLEDGED',
      'sees that granny acknowledged the SOS',
      since,
      ({ params }) => {
        return params['sosId'] === sosId && isGranny(params['by']);
      },
    );
    const call = await sos.mother.find(sosId);
    assert(call?.state === 'ACKNOWLEDGED' && isGranny(call.acknowledgedBy), `the SOS is ${String(call?.state)}`);
    assert(call.nextStepAt === null, 'an escalation step is still due after the acknowledgement');
    return delays;
  },
};

export const sosResolved: Scene = {
  expectation: 'the mother resolves the SOS',
  async run(day) {
    const { sosId } = await findOpenSos(day);
    const since = Date.now();
    await day.sos.mother.resolve(sosId);
    const delays = await waitForBothAdults(
      day,
      'SOS_RESOLVED',
      'sees that the SOS is resolved',
      since,
      isAboutSos(sosId),
    );
    const call = await day.sos.granny.find(sosId);
    assert(call?.state === 'RESOLVED', `the SOS is ${String(call?.state)}`);
    return delays;
  },
};

const isAboutSos =
  (sosId: string) =>
  ({ params }: { params: Record<string, unknown> }): boolean =>
    params['sosId'] === sosId;

async function findOpenSos({ sos }: SchoolDay): Promise<Schema<'SosDto'>> {
  const open = await sos.granny.findOpen();
  if (!open) throw new Error('no SOS is open');
  return open;
}
