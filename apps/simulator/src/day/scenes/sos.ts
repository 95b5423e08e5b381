import type { Schema } from '@family-watch/client/rest/schemas';
import { reasonOf } from '../refusal.js';
import { toldAll } from '../told.js';
import type { SchoolDay } from '../school-day.js';
import { assert } from '../scene.js';
import type { Scene } from '../scene.js';
import { now } from '../witness.js';

/** How long servers usually wait for an answer, before the next of the contacts gets an SMS. Milliseconds. */
const LONGEST_STEP_MS = 30_000;

export const helpCalled: Scene = {
  promise: 'Mia called for help, and everybody was told at once',
  async play(day) {
    const since = Date.now();
    const { sosId } = await day.watch.callForHelp();
    day.watch.tell('calls for help');
    const took = await toldAll(day, 'SOS_RAISED', 'hears Mia call for help', since, isAbout(sosId));
    const refused = await reasonOf(day.care.reboot());
    assert(refused === 'SOS_ACTIVE', `the watch may be silenced meanwhile: ${refused}`);
    day.mother.tell('cannot restart the watch now: SOS_ACTIVE');
    return took;
  },
};

export const helpEscalated: Scene = {
  promise: 'nobody answered, so the first of the contacts was told again, by SMS as well',
  async play(day) {
    const { mother, witness } = day;
    const open = await openCall(day);
    const { took } = await witness.sees(
      mother.name,
      'is told once more, because nobody has answered',
      open.raisedAt,
      () => mother.news.of('SOS_ESCALATED').find(isAbout(open.sosId)),
      witness.patience + LONGEST_STEP_MS,
    );
    await witness.sees(mother.name, 'has an SMS', open.raisedAt, async () =>
      (await mother.smsAboutSos()) > 0 ? now({}) : undefined,
    );
    return `mother after ${took} ms`;
  },
};

export const helpAcknowledged: Scene = {
  promise: 'somebody took care of the call, and the others know who',
  async play(day) {
    const { granny, sos } = day;
    const { sosId } = await openCall(day);
    const since = Date.now();
    await sos.granny.acknowledge(sosId);
    const byGranny = `user:${granny.userId}`;
    const isGranny = (by: unknown) => by === byGranny;
    const took = await toldAll(day, 'SOS_ACKNOWLEDGED', 'knows who takes care', since, ({ params }) => {
      return params['sosId'] === sosId && isGranny(params['by']);
    });
    const call = await sos.mother.look(sosId);
    assert(call?.state === 'ACKNOWLEDGED' && isGranny(call.acknowledgedBy), `the call is ${String(call?.state)}`);
    assert(call.nextStepAt === null, 'somebody else will be told, although it is taken care of');
    return took;
  },
};

export const helpResolved: Scene = {
  promise: 'the call for help was resolved',
  async play(day) {
    const { sosId } = await openCall(day);
    const since = Date.now();
    await day.sos.mother.resolve(sosId);
    const took = await toldAll(day, 'SOS_RESOLVED', 'hears that all is well', since, isAbout(sosId));
    const call = await day.sos.granny.look(sosId);
    assert(call?.state === 'RESOLVED', `the call is ${String(call?.state)}`);
    return took;
  },
};

const isAbout =
  (sosId: string) =>
  ({ params }: { params: Record<string, unknown> }): boolean =>
    params['sosId'] === sosId;

async function openCall({ sos }: SchoolDay): Promise<Schema<'SosDto'>> {
  const open = await sos.granny.open();
  if (!open) throw new Error('no call for help is open');
  return open;
}
