import type { SchoolPause, SchoolRange } from '../contracts/school-time.js';
import { schoolHoursAt } from './school-hours.js';

/** Returns true if `time` (Unix milliseconds) is in a school time of the child. */
export function isSchoolTime(
  ranges: readonly SchoolRange[],
  pause: SchoolPause,
  timeZone: string,
  time: number,
): boolean {
  return schoolRangeAt(ranges, pause, timeZone, time) !== undefined;
}

/** Returns the range that is active at `time` (Unix milliseconds), or undefined. */
export function schoolRangeAt<Range extends SchoolRange>(
  ranges: readonly Range[],
  pause: SchoolPause,
  timeZone: string,
  time: number,
): Range | undefined {
  return schoolHoursAt(ranges, pause, timeZone, time).range;
}
