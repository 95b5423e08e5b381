import { setTimeout as sleep } from 'node:timers/promises';
import { waitForBothAdults } from '../center-messages.js';
import { assert } from '../scene.js';
import type { Scene } from '../scene.js';
import type { SchoolDay } from '../school-day.js';

const NEW_APPELLATION = 'Nana';
/** Per cent of the battery. */
const COST_OF_THE_WAY = 3;

/** The child walks, everybody hears of the two ends of its way, and in between the mother renames a contact. */
export const walkToSchool: Scene = {
  expectation: 'Mia left home and came to school, and everybody was told',
  async run(day) {
    const { child, watch, walk, refId, home, school } = day;
    watch.log(`walks ${walk.length} points in ${Math.ceil(walk.replayTime / 1_000)} s`);
    const walking = walk.replay(watch.positioning);
    const told = Promise.all([
      crossing(day, 'FENCE_LEFT', home, 'hears that Mia has left home'),
      crossing(day, 'FENCE_ENTERED', school, 'hears that Mia is at school'),
    ]);
    // Whoever is not told does not keep the child from walking on.
    told.catch(() => undefined);
    await Promise.all([
      walking,
      showPositions(day, walking),
      sleep(walk.replayTime / 2).then(() => child.renameContact(watch.did, refId, NEW_APPELLATION)),
    ]);
    watch.log('has arrived');
    watch.vitals.drain(COST_OF_THE_WAY);
    await watch.sendHeartbeat();
    const [left, entered] = await told;
    return `left: ${left}; came: ${entered}`;
  },
};

export const fenceLogComplete: Scene = {
  expectation: 'the log of the fences says the same, each once',
  async run({ fences, mother }) {
    const log = await fences.log();
    const told = (['FENCE_LEFT', 'FENCE_ENTERED'] as const).flatMap((type) => mother.news.of(type));
    const logged = log.map(({ fenceEventId }) => fenceEventId);
    const missing = told.filter(({ params }) => !logged.includes(String(params['fenceEventId'])));
    assert(missing.length === 0, `${missing.length} of ${told.length} are not in the log`);
    assert(new Set(log.map(({ fenceId, type, time }) => `${fenceId} ${type} ${time}`)).size === log.length, 'twice');
    return log.map(({ type, fenceName }) => `${type} ${fenceName}`).join(', ');
  },
};

/** @returns who was told after how long, counted from when the point behind the fence left the watch */
function crossing(
  day: SchoolDay,
  type: 'FENCE_LEFT' | 'FENCE_ENTERED',
  fenceId: string,
  what: string,
): Promise<string> {
  const { watch, walk, witness } = day;
  const sent = ({ time }: { time: number }): number => watch.positioning.sentAt(time) ?? time;
  const isIt = ({ params }: { params: Record<string, unknown> }): boolean => params['fenceId'] === fenceId;
  return waitForBothAdults(day, type, what, sent, isIt, walk.replayTime + witness.patience);
}

/** Where the mother sees the child, once a second while it walks. */
async function showPositions({ mother }: SchoolDay, walking: Promise<void>): Promise<void> {
  let walks = true;
  const end = walking.finally(() => (walks = false)).catch(() => undefined);
  let shown = 0;
  while (walks) {
    await Promise.race([sleep(1_000), end]);
    const positions = mother.arrivals.of('LocationPointChangeMessage');
    const latest = positions.at(-1);
    if (!latest || positions.length === shown) continue;
    shown = positions.length;
    const { latitude, longitude, positionTime } = latest.message.payload.location;
    const time = new Date(positionTime).toISOString().slice(11, 19);
    mother.log(`sees Mia at ${latitude}, ${longitude} (${time} UTC)`);
  }
}
