import { Temporal } from 'temporal-polyfill';

/** Selects the first or the second instant of a repeated local time. */
export type AmbiguousTimeChoice = 'earlier' | 'later';

/** Maximum number of cached time zones; the limit is necessary because a time zone has several valid spellings. */
const MAX_ZONES = 1_000;

/**
 * A date in a time zone. Computing local dates takes a tenth of a millisecond, and school begins for many children at
 * the same time. Each result is therefore cached and reused for all children in the same time zone on the same date.
 */
export class LocalDay {
  /** First instant of the date (inclusive) and first instant after the date (exclusive), in Unix milliseconds. */
  readonly start: number;
  readonly end: number;
  /** `YYYY-MM-DD` of the date and its neighbours. */
  readonly yesterday: string;
  readonly today: string;
  readonly tomorrow: string;
  private readonly instants = new Map<string, number>();

  private constructor(
    private readonly timeZone: string,
    day: Temporal.PlainDate,
  ) {
    const next = day.add({ days: 1 });
    this.start = day.toZonedDateTime(timeZone).epochMilliseconds;
    this.end = next.toZonedDateTime(timeZone).epochMilliseconds;
    this.yesterday = day.subtract({ days: 1 }).toString();
    this.today = day.toString();
    this.tomorrow = next.toString();
  }

  /** Returns the local date at `time` (Unix milliseconds). */
  static at(timeZone: string, time: number): LocalDay {
    const cached = newestByZone.get(timeZone);
    if (cached && cached.start <= time && time < cached.end) return cached;
    const date = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate();
    const day = new LocalDay(timeZone, date);
    if (!cached && newestByZone.size >= MAX_ZONES) newestByZone.delete(newestByZone.keys().next().value ?? '');
    newestByZone.set(timeZone, day);
    return day;
  }

  /**
   * Returns the instant (Unix milliseconds) of a local time (`HH:MM`) on this date, the day before or the day after.
   * For a skipped local time the result is the instant of the clock change.
   */
  instantOf(date: string, time: string, choice: AmbiguousTimeChoice): number {
    const localTime = `${date}T${time}`;
    const key = `${localTime} ${choice}`;
    const cached = this.instants.get(key);
    if (cached !== undefined) return cached;
    const instant = toInstant(Temporal.PlainDateTime.from(localTime), this.timeZone, choice);
    this.instants.set(key, instant);
    return instant;
  }
}

/** Newest date per time zone. */
const newestByZone = new Map<string, LocalDay>();
function toInstant(localTime: Temporal.PlainDateTime, timeZone: string, choice: AmbiguousTimeChoice): number {
  const instant = localTime.toZonedDateTime(timeZone, { disambiguation: choice });
  if (instant.toPlainDateTime().equals(localTime)) return instant.epochMilliseconds;
  const before = localTime.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const jump = before.getTimeZoneTransition('next');
  return (jump ?? instant).epochMilliseconds;
}
