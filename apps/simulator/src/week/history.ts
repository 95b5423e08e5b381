import { responseData } from '@family-watch/client';
import { isCredible, POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { Temporal } from 'temporal-polyfill';
import { SosActions } from '../people/child-actions.js';
import { retryUntilAvailable } from '../retry.js';
import { distanceInMetres } from '../track/journey.js';
import { coordinatesOf } from '../watch/location-reporter.js';
import type { SimulatedWatch } from '../watch/simulated-watch.js';
import type { DemoFamily, FamilyChild } from './demo-family.js';
import { fixesBetween } from './timetable.js';

/** Days before today of which the watch has locations. */
const PAST_DAYS = 7;
const HOUR_MS = 3_600_000;
/** The service ignores a time of more than a day ago. */
const MAX_SOS_AGE_HOURS = 23;

/** Unknown callers, and how many hours ago they called. */
const STRANGERS = [
  { phoneNumber: '02155501234', hoursAgo: 3 },
  { phoneNumber: '4008205555', hoursAgo: 27 },
  { phoneNumber: '01066667777', hoursAgo: 75 },
];

/**
 * Reports the locations of today and the seven days before, one report per day, as a watch that had no connection.
 * Steps have the time of their report, so only those of today are reported.
 */
export async function reportWeek({ child, watch, timetable }: FamilyChild, now: number): Promise<void> {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(child.timeZone).startOfDay();
  for (let daysAgo = PAST_DAYS; daysAgo >= 0; daysAgo -= 1) {
    const from = today.subtract({ days: daysAgo });
    const to = Math.min(from.add({ days: 1 }).epochMilliseconds, now);
    const points = fixesBetween(timetable, child.timeZone, from.epochMilliseconds, to);
    if (points.length > 0) await reportPoints(watch, points);
    if (daysAgo === 0) watch.vitals.walk(metresWalked(points));
  }
  await watch.sendHeartbeat();
  watch.log('reports the locations of a week, and the steps of today');
}

/** @throws Error if the service rejects a point or finds it implausible */
async function reportPoints({ connection }: SimulatedWatch, points: Location[]): Promise<void> {
  const path = '/apis/v2/userctx/watch/location/report';
  const { results } = await retryUntilAvailable(() => responseData(connection.api.POST(path, { body: { points } })));
  const wrong = results.find(({ accepted, flags }) => !accepted || !isCredible(flags));
  if (wrong) throw new Error(`the service does not believe a location: ${wrong.reason ?? wrong.flags.join(', ')}`);
}

function metresWalked(points: readonly Location[]): number {
  const walked = points.filter(({ pointType }) => pointType === POINT_TYPE.GPS).map(coordinatesOf);
  return walked.slice(1).reduce((metres, point, index) => metres + distanceInMetres(walked[index] ?? point, point), 0);
}

/** Reports the calls of unknown numbers that the watch has blocked during the week. */
export async function reportBlockedCalls({ connection }: SimulatedWatch, now: number): Promise<void> {
  const calls = STRANGERS.map(({ phoneNumber, hoursAgo }) => ({
    time: now - hoursAgo * HOUR_MS,
    areaCode: '+86',
    phoneNumber,
    outcome: 'BLOCKED' as const,
    cause: 'STRANGER' as const,
  }));
  const path = '/apis/v2/userctx/watch/blocked-call/report';
  await retryUntilAvailable(() => connection.api.POST(path, { body: { calls } }));
  connection.log(`reports ${calls.length} blocked calls`);
}

/** Mia raised an SOS on her last way before now. Granny acknowledges it and the mother resolves it. */
export async function resolveSos({ mother, granny, mia }: DemoFamily, now: number): Promise<void> {
  const { child, watch, timetable } = mia;
  const fixes = fixesBetween(timetable, child.timeZone, now - MAX_SOS_AGE_HOURS * HOUR_MS, now - HOUR_MS);
  const location = fixes.findLast(({ pointType }) => pointType === POINT_TYPE.GPS);
  const path = '/apis/v2/userctx/watch/sos/raise';
  const { sosId } = await responseData(
    watch.connection.api.POST(path, { body: { time: location?.positionTime, location } }),
  );
  watch.log('raises an SOS');
  await new SosActions(granny, child.cid).acknowledge(sosId);
  await new SosActions(mother, child.cid).resolve(sosId);
}
