import { Temporal } from 'temporal-polyfill';

/** Of a time that comes twice the one that is wanted. */
export type AmbiguousTimeChoice = 'earlier' | 'later';

/** Zones whose current day is remembered; names come in more spellings than there are zones. */
const MAX_ZONES = 1_000;

/**
 * A day of the calendar in a time zone. Reckoning with calendars costs a tenth of a millisecond, and at eight o'clock
 * school begins for everybody: what was reckoned for one child of a zone serves all of them for the day.
 */
export class LocalDay {
  /** Unix milliseconds: its first moment, and the first one after it. */
  readonly start: number;
  readonly end: number;
  /** `YYYY-MM-DD` of it and its neighbours. */
  readonly yesterday: string;
  readonly today: string;
  readonly tomorrow: string;
  private readonly moments = new Map<string, number>();

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

  /** The day that the zone's clocks show at this moment (Unix milliseconds). */
  static at(timeZone: string, time: number): LocalDay {
    const known = newest.get(timeZone);
    if (known && known.start <= time && time < known.end) return known;
    const shown = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate();
    const day = new LocalDay(timeZone, shown);
    if (!known && newest.size >= MAX_ZONES) newest.delete(newest.keys().next().value ?? '');
    newest.set(timeZone, day);
    return day;
  }

  /** When clocks show this time (`HH:MM`) of the day or a neighbour; of one that is left out the jump (Unix milliseconds). */
  instantOf(date: string, time: string, wanted: AmbiguousTimeChoice): number {
    const wall = `${date}T${time}`;
    const name = `${wall} ${wanted}`;
    const known = this.moments.get(name);
    if (known !== undefined) return known;
    const moment = momentOf(Temporal.PlainDateTime.from(wall), this.timeZone, wanted);
    this.moments.set(name, moment);
    return moment;
  }
}

/** By time zone. */
const newest = new Map<string, LocalDay>();

function momentOf(wall: Temporal.PlainDateTime, timeZone: string, wanted: AmbiguousTimeChoice): number {
  const moment = wall.toZonedDateTime(timeZone, { disambiguation: wanted });
  if (moment.toPlainDateTime().equals(wall)) return moment.epochMilliseconds;
  const before = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const jump = before.getTimeZoneTransition('next');
  return (jump ?? moment).epochMilliseconds;
}
