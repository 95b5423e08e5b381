import { dateOfDayNumber } from '../watch-settings/contracts/school-time.js';
import type { SchoolRange } from '../watch-settings/contracts/school-time.js';
import { schoolHoursAt } from '../watch-settings/schedule/school-hours.js';
import type { SchoolHours } from '../watch-settings/schedule/school-hours.js';
import type { ChildRules } from './contracts/child-rules.js';

interface IndexedRange extends SchoolRange {
  /** Index of the school time in the rules. */
  index: number;
}

/**
 * Finds the school time of one child at a given time. Computing local dates costs far more than delivering a message,
 * so the last result is cached as long as it is valid.
 */
export class SchoolTimeLookup {
  private readonly ranges: readonly IndexedRange[];
  private readonly timeZone: string;
  private readonly pausedOn: string | null;
  private cachedHours: (SchoolHours<IndexedRange> & { validFrom: number }) | undefined;

  constructor({ schoolTimes, timeZone, pausedOn }: Pick<ChildRules, 'schoolTimes' | 'timeZone' | 'pausedOn'>) {
    this.timeZone = timeZone;
    this.pausedOn = pausedOn;
    this.ranges = schoolTimes.map((range, index) => ({
      ...range,
      index,
      schoolTimeId: String(index),
      enabled: true,
      holidays: range.holidays.map(dateOfDayNumber),
      extraDates: range.extraDates.map(dateOfDayNumber),
    }));
  }

  /** Returns the school time at `time`: its index in the rules and its end (both times in Unix milliseconds). */
  schoolTimeAt(time: number): { index: number; until: number } | undefined {
    if (this.ranges.length === 0) return undefined;
    const { range, until } = this.cachedHoursAt(time);
    return range && { index: range.index, until };
  }

  private cachedHoursAt(time: number): SchoolHours<IndexedRange> {
    const { cachedHours: cached } = this;
    if (cached && cached.validFrom <= time && time < cached.until) return cached;
    const hours = schoolHoursAt(this.ranges, { pausedOn: this.pausedOn }, this.timeZone, time);
    this.cachedHours = { ...hours, validFrom: time };
    return hours;
  }
}
