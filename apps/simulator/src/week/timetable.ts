import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { Temporal } from 'temporal-polyfill';
import type { JourneyPoint } from '../track/journey.js';
import { PLACES, walkBetween, type Place, type PlaceName } from './places.js';

/** A walk to another place. `leaveAt`: `HH:MM` in the child's time zone. */
export interface Outing {
  leaveAt: string;
  to: PlaceName;
}

/** The outings of each weekday, Monday first. Every day begins and ends at home. */
export type Timetable = readonly [
  readonly Outing[],
  readonly Outing[],
  readonly Outing[],
  readonly Outing[],
  readonly Outing[],
  readonly Outing[],
  readonly Outing[],
];

const toSchool = (leaveAt: string): Outing => ({ leaveAt, to: 'school' });
const toPark = (leaveAt: string): Outing => ({ leaveAt, to: 'park' });
const toGrandma = (leaveAt: string): Outing => ({ leaveAt, to: 'grandma' });
const home = (leaveAt: string): Outing => ({ leaveAt, to: 'home' });

export const TIMETABLE_OF_MIA: Timetable = [
  [toSchool('07:31'), home('15:44')],
  [toSchool('07:35'), toPark('15:41'), home('17:12')],
  [toSchool('07:29'), home('15:47'), toGrandma('16:30'), home('18:20')],
  [toSchool('07:33'), toPark('15:40'), home('16:58')],
  [toSchool('07:34'), home('15:42')],
  [toPark('09:50'), home('11:40'), toGrandma('15:05'), home('19:10')],
  [toPark('14:20'), home('16:35')],
];

/** Leo is fetched from school early on Wednesday. */
export const TIMETABLE_OF_LEO: Timetable = [
  [toSchool('07:31'), home('15:20')],
  [toSchool('07:35'), home('15:22'), toPark('16:10'), home('17:12')],
  [toSchool('07:29'), home('11:25'), toGrandma('14:00'), home('18:20')],
  [toSchool('07:33'), home('15:18')],
  [toSchool('07:34'), toPark('15:21'), home('16:50')],
  [toPark('09:50'), home('11:40'), toGrandma('15:05'), home('19:10')],
  [toGrandma('10:30'), home('13:00')],
];

/** Interval between two fixes of a watch that stays at a place. */
const STAY_INTERVAL_MS = 10 * 60_000;
const WALK_RADIUS_METRES = 8;
const CELL_FIX = { pointType: POINT_TYPE.CELL, radius: 320 };
/** Distance in metres of a fix by cells from the place. */
const CELL_DEVIATION_METRES = 45;
const METRES_PER_DEGREE = 111_320;
/** Decimal places of coordinates in degrees; the last place is about ten centimetres. */
const COORDINATE_DECIMALS = 6;

/**
 * Returns the fixes of a watch whose child follows the timetable, from `from` until before `to` (Unix milliseconds), in
 * time order. The same time always has the same fix.
 */
export function fixesBetween(timetable: Timetable, timeZone: string, from: number, to: number): Location[] {
  const fixes: Location[] = [];
  let date = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone).toPlainDate();
  for (; timeOn(date, '00:00', timeZone) < to; date = date.add({ days: 1 }))
    fixes.push(...fixesOfDay(timetable, date, timeZone));
  return fixes.filter(({ positionTime }) => positionTime >= from && positionTime < to);
}

function fixesOfDay(timetable: Timetable, date: Temporal.PlainDate, timeZone: string): Location[] {
  const fixes: Location[] = [];
  let place: PlaceName = 'home';
  let since = timeOn(date, '00:00', timeZone);
  for (const { leaveAt, to } of timetable[date.dayOfWeek - 1] ?? []) {
    const leavesAt = timeOn(date, leaveAt, timeZone);
    const walk = walkBetween(place, to);
    fixes.push(...stayFixes(PLACES[place], since, leavesAt), ...walkFixes(walk, leavesAt));
    place = to;
    since = leavesAt + (walk.at(-1)?.offset ?? 0) + STAY_INTERVAL_MS;
  }
  return [...fixes, ...stayFixes(PLACES[place], since, timeOn(date.add({ days: 1 }), '00:00', timeZone))];
}

/** Returns the time in Unix milliseconds. */
function timeOn(date: Temporal.PlainDate, plainTime: string, timeZone: string): number {
  return date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds;
}

function stayFixes({ corner, movement, cellFixPeriod, ...accuracy }: Place, from: number, to: number): Location[] {
  const count = Math.ceil((to - from) / STAY_INTERVAL_MS);
  return Array.from({ length: count }, (_, index) => {
    const time = from + index * STAY_INTERVAL_MS;
    const isCellFix = cellFixPeriod !== undefined && index % cellFixPeriod === cellFixPeriod - 1;
    return isCellFix
      ? fixNear(corner, time, CELL_DEVIATION_METRES, CELL_FIX)
      : fixNear(corner, time, movement, accuracy);
  });
}

function walkFixes(walk: readonly JourneyPoint[], leavesAt: number): Location[] {
  const accuracy = { pointType: POINT_TYPE.GPS, radius: WALK_RADIUS_METRES };
  return walk.map(({ latitude, longitude, offset }) =>
    fixNear([latitude, longitude], leavesAt + offset, WALK_RADIUS_METRES / 3, accuracy),
  );
}

/** Returns a fix up to `metres` from the position in each direction, depending on the time only. */
function fixNear(
  [latitude, longitude]: readonly [number, number],
  positionTime: number,
  metres: number,
  accuracy: Pick<Location, 'pointType' | 'radius'>,
): Location {
  const degrees = metres / METRES_PER_DEGREE;
  const deviation = (frequency: number) => degrees * Math.sin((positionTime / 1_000) * frequency);
  const eastward = deviation(0.73) / Math.cos((latitude * Math.PI) / 180);
  return {
    latitude: (latitude + deviation(0.37)).toFixed(COORDINATE_DECIMALS),
    longitude: (longitude + eastward).toFixed(COORDINATE_DECIMALS),
    positionTime,
    ...accuracy,
  };
}
