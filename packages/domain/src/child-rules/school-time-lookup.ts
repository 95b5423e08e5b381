import { dateOfDayNumber } from '../watch-settings/contracts/school-time.js';
import type { SchoolRange } from '../watch-settings/contracts/school-time.js';
import { schoolHoursAt } from '../watch-settings/schedule/school-hours.js';
import type { SchoolHours } from '../watch-settings/schedule/school-hours.js';
import type { ChildRules } from './contracts/child-rules.js';

interface PlacedRange extends SchoolRange {
  /** In the rules. */
  place: number;
}

/**
 * The school times of one child's rules. Reckoning with a calendar costs far more than a message, so what it says is
 * kept for as long as it holds.
 */
export class SchoolTimeLookup {
  private readonly ranges: readonly PlacedRange[];
  private readonly timeZone: string;
  private readonly pausedOn: string | null;
  private known: (SchoolHours<PlacedRange> & { since: number }) | undefined;

  constructor({ schoolTimes, timeZone, pausedOn }: Pick<ChildRules, 'schoolTimes' | 'timeZone' | 'pausedOn'>) {
    this.timeZone = timeZone;
    this.pausedOn = pausedOn;
    this.ranges = schoolTimes.map((range, place) => ({
      ...range,
      place,
      schoolTimeId: String(place),
      enabled: true,
      holidays: range.holidays.map(dateOfDayNumber),
      extraDates: range.extraDates.map(dateOfDayNumber),
    }));
  }

  /** The school time of this moment, by its place in the rules, and its end (both times Unix milliseconds). */
  at(time: number): { place: number; until: number } | undefined {
    if (this.ranges.length === 0) return undefined;
    const { range, until } = this.hoursAt(time);
    return range && { place: range.place, until };
  }

  private hoursAt(time: number): SchoolHours<PlacedRange> {
    const { known } = this;
    if (known && known.since <= time && time < known.until) return known;
    const hours = schoolHoursAt(this.ranges, { pausedOn: this.pausedOn }, this.timeZone, time);
    this.known = { ...hours, since: time };
    return hours;
  }
}
