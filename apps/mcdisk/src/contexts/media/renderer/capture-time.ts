/** What EXIF says about the time of a picture, as it is written there. */
export interface ExifTimes {
  /** DateTimeOriginal, `2026:05:17 14:30:05`: the clock on the wall. */
  wall?: string;
  /** OffsetTimeOriginal, `+08:00`. */
  offset?: string;
  /** GPSDateStamp, `2026:05:17`, UTC. */
  gpsDate?: string;
  /** GPSTimeStamp: hours, minutes and seconds, UTC. */
  gpsTime?: readonly number[];
}

/** There were no cameras before that wrote a time; clocks that were never set say 1904, 1970 or 1980. */
const EARLIEST = Date.UTC(1990, 0, 1);
/** A clock may be ahead of ours by so much, milliseconds. */
const CLOCK_LEAD_MS = 10 * 60_000;
/** No wall is further ahead of UTC. */
const LONGEST_OFFSET_MS = 14 * 60 * 60_000;

/**
 * When a picture was taken, Unix milliseconds. Without an offset the satellites' time is taken, which is UTC; without
 * that the clock on the wall is read as UTC: wrong by hours, and right about the day nearly always.
 * @param now Unix milliseconds; what lies after it is not believed
 */
export function captureTimeOf(times: ExifTimes, now: number): number | null {
  const wall = parseWall(times.wall);
  const offset = parseOffset(times.offset);
  if (wall !== undefined && offset !== undefined) return plausibleCaptureTime(wall - offset, now);
  const satellite = parseSatellite(times);
  if (satellite !== undefined) return plausibleCaptureTime(satellite, now);
  if (wall === undefined || wall > now + LONGEST_OFFSET_MS) return null;
  return plausibleCaptureTime(Math.min(wall, now), now);
}

/** `null` for a time that cannot be that of a picture or film. Unix milliseconds. */
export function plausibleCaptureTime(time: number, now: number): number | null {
  return time >= EARLIEST && time <= now + CLOCK_LEAD_MS ? Math.min(time, now) : null;
}

function parseWall(text: string | undefined): number | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text ?? '');
  return parts ? utc(parts.slice(1).map(Number)) : undefined;
}

function parseOffset(text: string | undefined): number | undefined {
  const parts = /^([+-])(\d\d):(\d\d)/.exec(text ?? '');
  if (!parts) return undefined;
  const milliseconds = (Number(parts[2]) * 60 + Number(parts[3])) * 60_000;
  if (milliseconds > LONGEST_OFFSET_MS) return undefined;
  return parts[1] === '-' ? -milliseconds : milliseconds;
}

function parseSatellite({ gpsDate, gpsTime }: ExifTimes): number | undefined {
  const date = /^(\d{4}):(\d\d):(\d\d)/.exec(gpsDate ?? '');
  if (!date || gpsTime?.length !== 3) return undefined;
  return utc([...date.slice(1).map(Number), ...gpsTime.map(Math.floor)]);
}

/** `undefined` for a day or an hour that no calendar has: `Date` would count on quietly. */
function utc(parts: readonly number[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour;
  return same && minute < 60 && second < 60 ? date.getTime() : undefined;
}
