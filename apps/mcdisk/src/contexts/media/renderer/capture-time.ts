/** The times in a picture's EXIF, as they are written there. */
export interface ExifTimes {
  /** DateTimeOriginal, `2026:05:17 14:30:05`: local time. */
  local?: string;
  /** OffsetTimeOriginal, `+08:00`. */
  offset?: string;
  /** GPSDateStamp, `2026:05:17`, UTC. */
  gpsDate?: string;
  /** GPSTimeStamp: hours, minutes and seconds, UTC. */
  gpsTime?: readonly number[];
}

/** Earliest plausible time: cameras did not record times before, and unset clocks show 1904, 1970 or 1980. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
/** Maximum by which a camera's clock may be ahead, milliseconds. */
const CLOCK_LEAD_MS = 10 * 60_000;
/** Largest offset of local time from UTC. */
const MAX_OFFSET_MS = 14 * 60 * 60_000;

/**
 * Returns when a picture was taken, Unix milliseconds. Without an offset it uses the GPS time, which is UTC. Without
 * that it reads local time as UTC, which is off by hours but nearly always gives the right day.
 * @param now Unix milliseconds; later times are rejected
 */
export function captureTimeOf(times: ExifTimes, now: number): number | null {
  const local = parseLocal(times.local);
  const offset = parseOffset(times.offset);
  if (local !== undefined && offset !== undefined) return plausibleCaptureTime(local - offset, now);
  const satellite = parseSatellite(times);
  if (satellite !== undefined) return plausibleCaptureTime(satellite, now);
  if (local === undefined || local > now + MAX_OFFSET_MS) return null;
  return plausibleCaptureTime(Math.min(local, now), now);
}

/** Returns `null` for a time that cannot be the capture time of a picture or video. Unix milliseconds. */
export function plausibleCaptureTime(time: number, now: number): number | null {
  return time >= EARLIEST_MS && time <= now + CLOCK_LEAD_MS ? Math.min(time, now) : null;
}

function parseLocal(text: string | undefined): number | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text ?? '');
  return parts ? utc(parts.slice(1).map(Number)) : undefined;
}

function parseOffset(text: string | undefined): number | undefined {
  const parts = /^([+-])(\d\d):(\d\d)/.exec(text ?? '');
  if (!parts) return undefined;
  const milliseconds = (Number(parts[2]) * 60 + Number(parts[3])) * 60_000;
  if (milliseconds > MAX_OFFSET_MS) return undefined;
  return parts[1] === '-' ? -milliseconds : milliseconds;
}

function parseSatellite({ gpsDate, gpsTime }: ExifTimes): number | undefined {
  const date = /^(\d{4}):(\d\d):(\d\d)/.exec(gpsDate ?? '');
  if (!date || gpsTime?.length !== 3) return undefined;
  return utc([...date.slice(1).map(Number), ...gpsTime.map(Math.floor)]);
}

/** Returns `undefined` for nonexistent days and hours, which `Date` would normalize. */
function utc(parts: readonly number[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isUnchanged = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour;
  return isUnchanged && minute < 60 && second < 60 ? date.getTime() : undefined;
}
