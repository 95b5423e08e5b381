import type { SchoolPause, SchoolRange } from '../contracts/school-time.js';
import { schoolHoursAt } from './school-hours.js';

/** Is it school time for the child at this moment (Unix milliseconds)? */
export function isSchoolTime(
  ranges: readonly SchoolRange[],
  exceptions: SchoolPause,
  timeZone: string,
  time: number,
): boolean {
  return schoolRangeAt(ranges, exceptions, timeZone, time) !== undefined;
}

/** The range that holds at this moment (Unix milliseconds), undefined while there is no school time. */
export function schoolRangeAt<Range extends SchoolRange>(
  ranges: readonly Range[],
  exceptions: SchoolPause,
  timeZone: string,
  time: number,
): Range | undefined {
  return schoolHoursAt(ranges, exceptions, timeZone, time).range;
}
