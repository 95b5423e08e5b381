import { setTimeout as sleep } from 'node:timers/promises';
import { waitForBothAdults, type SchoolDay } from '../school-day.js';
import { assert, type Scene } from '../scene.js';

const NEW_CONTACT_NAME = 'Nana';
/** Part of the battery that the walk uses, per cent. */
const BATTERY_USED_PERCENT = 3;

/**
 * The child walks to school; both adults are alerted at both fences. Half-way through the walk, the mother renames a
 * contact.
 */
export const walkToSchool: Scene = {
  expectation: 'both adults are alerted when Mia leaves home and enters school',
  async run(day) {
    const { child, watch, walk, renamedContactId, homeFenceId: home, schoolFenceId: school } = day;
    watch.log(`walks ${walk.length} points in ${Math.ceil(walk.replayTime / 1_000)} s`);
    const walking = walk.replay(watch.locationReporter);
    const alerts = Promise.all([
      waitForFenceAlerts(day, 'FENCE_LEFT', home, 'is alerted that Mia left home', walking),
      waitForFenceAlerts(day, 'FENCE_ENTERED', school, 'is alerted that Mia entered school', walking),
    ]);
    // Without this handler, a missing alert would be an unhandled rejection; `await alerts` below throws its error.
    alerts.catch(() => undefined);
    await Promise.all([
      walking,
      logLocations(day, walking),
      sleep(walk.replayTime / 2).then(() => child.renameContact(watch.did, renamedContactId, NEW_CONTACT_NAME)),
    ]);
    watch.log('has arrived');
    watch.vitals.drain(BATTERY_USED_PERCENT);
    await watch.sendHeartbeat();
    const [left, entered] = await alerts;
    return `left: ${left}; entered: ${entered}`;
  },
};

export const fenceLogComplete: Scene = {
  expectation: 'the fence log contains each of these events once',
  async run({ fences, mother, homeFenceId, schoolFenceId }) {
    const log = await fences.listEvents();
    const isLogged = (expected: string, id: string): boolean =>
      log.some(({ type, fenceId }) => type === expected && fenceId === id);
    assert(isLogged('LEFT', homeFenceId), 'the log does not contain that Mia left home');
    assert(isLogged('ENTERED', schoolFenceId), 'the log does not contain that Mia entered school');
    const alerts = (['FENCE_LEFT', 'FENCE_ENTERED'] as const).flatMap((type) => mother.centerMessages.ofType(type));
    const loggedIds = log.map(({ fenceEventId }) => fenceEventId);
    const missing = alerts.filter(({ params }) => !loggedIds.includes(String(params['fenceEventId'])));
    assert(missing.length === 0, `${missing.length} of ${alerts.length} are not in the log`);
    assert(
      new Set(log.map(({ fenceId, type, time }) => `${fenceId} ${type} ${time}`)).size === log.length,
      'an event is logged twice',
    );
    return log.map(({ type, fenceName }) => `${type} ${fenceName}`).join(', ');
  },
};

/**
 * Waits until both adults have received the alert.
 *
 * @param walking - settles at the end of the walk, which is late if the service is not available during the walk
 * @returns a text with the delay of each adult, measured from the time when the watch sent the point that crossed the
 * fence
 */
function waitForFenceAlerts(
  day: SchoolDay,
  type: 'FENCE_LEFT' | 'FENCE_ENTERED',
  fenceId: string,
  what: string,
  walking: Promise<void>,
): Promise<string> {
  const { watch } = day;
  const sentAt = ({ time }: { time: number }): number => watch.locationReporter.sentAt(time) ?? time;
  const isOfFence = ({ params }: { params: Record<string, unknown> }): boolean => params['fenceId'] === fenceId;
  return waitForBothAdults(day, type, what, sentAt, isOfFence, walking);
}

/** Logs the newest location that the mother received, once a second during the walk. */
async function logLocations({ mother }: SchoolDay, walking: Promise<void>): Promise<void> {
  let isWalking = true;
  const end = walking.finally(() => (isWalking = false)).catch(() => undefined);
  let loggedCount = 0;
  while (isWalking) {
    await Promise.race([sleep(1_000), end]);
    const locations = mother.incoming.ofKind('LocationPointChangeMessage');
    const latest = locations.at(-1);
    if (!latest || locations.length === loggedCount) continue;
    loggedCount = locations.length;
    const { latitude, longitude, positionTime } = latest.message.payload.location;
    const time = new Date(positionTime).toISOString().slice(11, 19);
    mother.log(`sees Mia at ${latitude}, ${longitude} (${time} UTC)`);
  }
}
