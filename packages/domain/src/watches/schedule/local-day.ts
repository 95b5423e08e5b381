import { Temporal } from 'temporal-polyfill';

/** Selects the first or the second instant of a local time that occurs twice because clocks are set back. */
export type AmbiguousTimeChoice = 'earlier' | 'later';

/**
 * Maximum number of cached names of time zones. Names are case-insensitive, so a time zone has many valid spellings.
 */
const MAX_CACHED_TIME_ZONES = 1_000;

/**
 * A date in a time zone. Computing its instants takes a tenth of a millisecond, and school begins for many children at
 * the same time. The results are therefore cached, and reused for all children in the same time zone on the same date.
 */
export class LocalDay {
  /** First instant of the date (inclusive) and first instant after the date (exclusive), in Unix milliseconds. */
  readonly start: number;
  readonly end: number;
  /** The date, the date before and the date after, as `YYYY-MM-DD`. */
  readonly previousDate: string;
  readonly date: string;
  readonly nextDate: string;
  private readonly instantsByLocalTime = new Map<string, number>();
  private cachedNext?: LocalDay;

  private constructor(
    private readonly timeZone: string,
    private readonly day: Temporal.PlainDate,
  ) {
    const next = day.add({ days: 1 });
    this.start = day.toZonedDateTime(timeZone).epochMilliseconds;
    this.end = next.toZonedDateTime(timeZone).epochMilliseconds;
    this.previousDate = day.subtract({ days: 1 }).toString();
    this.date = day.toString();
    this.nextDate = next.toString();
  }

  /** Returns the local date at `time` (Unix milliseconds). */
  static at(timeZone: string, time: number): LocalDay {
    const cached = newestDayByTimeZone.get(timeZone);
    if (cached && cached.start <= time && time < cached.end) return cached;
    const date = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate();
    const day = new LocalDay(timeZone, date);
    if (!cached && newestDayByTimeZone.size >= MAX_CACHED_TIME_ZONES)
      newestDayByTimeZone.delete(newestDayByTimeZone.keys().next().value ?? '');
    newestDayByTimeZone.set(timeZone, day);
    return day;
  }

  /** The following date. */
  get next(): LocalDay {
    return (this.cachedNext ??= new LocalDay(this.timeZone, this.day.add({ days: 1 })));
  }

  /**
   * Returns the instant (Unix milliseconds) of a local time (`HH:MM`) on this date, the day before or the day after.
   * For a skipped local time the result is the instant of the clock change.
   */
  instantOf(date: string, time: string, choice: AmbiguousTimeChoice): number {
    const localTime = `${date}T${time}`;
    const key = `${localTime} ${choice}`;
    const cached = this.instantsByLocalTime.get(key);
    if (cached !== undefined) return cached;
    const instant = toInstant(Temporal.PlainDateTime.from(localTime), this.timeZone, choice);
    this.instantsByLocalTime.set(key, instant);
    return instant;
  }
}

/** The most recently computed date per time zone. */
const newestDayByTimeZone = new Map<string, LocalDay>();

/** Returns the instant of a local time, or the instant of the clock change that skips the local time. */
function toInstant(localTime: Temporal.PlainDateTime, timeZone: string, choice: AmbiguousTimeChoice): number {
  const instant = localTime.toZonedDateTime(timeZone, { disambiguation: choice });
  if (instant.toPlainDateTime().equals(localTime)) return instant.epochMilliseconds;
  const before = localTime.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const clockChange = before.getTimeZoneTransition('next');
  return (clockChange ?? instant).epochMilliseconds;
}
