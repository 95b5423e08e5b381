import { listBoxes, type Mp4File } from '../storage/blobs/mp4-file.js';

/** The times in a picture's EXIF metadata, in the formats of EXIF. */
export interface ExifTimes {
  /** DateTimeOriginal, local time, for example `2026:05:17 14:30:05`. */
  localTime?: string;
  /** OffsetTimeOriginal, the offset of local time from UTC, for example `+08:00`. */
  utcOffset?: string;
  /** GPSDateStamp, UTC, for example `2026:05:17`. */
  gpsDate?: string;
  /** GPSTimeStamp: hours, minutes and seconds, UTC. */
  gpsTime?: readonly number[];
}

/** Earliest plausible time. Cameras did not record times before 1990, and unset clocks show 1904, 1970 or 1980. */
const EARLIEST_CAPTURE_TIME_MS = Date.UTC(1990, 0, 1);
/** Maximum time by which a camera's clock may be fast, milliseconds. */
const MAX_CLOCK_LEAD_MS = 10 * 60_000;
/** Largest offset of local time from UTC, milliseconds. */
const MAX_UTC_OFFSET_MS = 14 * 60 * 60_000;

/**
 * Returns the time at which a picture was taken, Unix milliseconds, or `null` when it is unknown. Without an offset of
 * the local time, uses the GPS time, which is UTC. Without a GPS time, interprets the local time as UTC, which is wrong
 * by hours but nearly always gives the right day.
 * @param now Unix milliseconds; later times are rejected
 */
export function captureTimeOf(times: ExifTimes, now: number): number | null {
  const local = parseLocalTime(times.localTime);
  const offset = parseOffset(times.utcOffset);
  if (local !== undefined && offset !== undefined) return plausibleCaptureTime(local - offset, now);
  const satellite = parseGpsTime(times);
  if (satellite !== undefined) return plausibleCaptureTime(satellite, now);
  if (local === undefined || local > now + MAX_UTC_OFFSET_MS) return null;
  return plausibleCaptureTime(Math.min(local, now), now);
}

/**
 * Returns the time, Unix milliseconds, or `null` if it cannot be the capture time of a picture or video. A time of up
 * to ten minutes in the future becomes `now`.
 */
export function plausibleCaptureTime(time: number, now: number): number | null {
  return time >= EARLIEST_CAPTURE_TIME_MS && time <= now + MAX_CLOCK_LEAD_MS ? Math.min(time, now) : null;
}

function parseLocalTime(text: string | undefined): number | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text ?? '');
  return parts ? toUtcTime(parts.slice(1).map(Number)) : undefined;
}

function parseOffset(text: string | undefined): number | undefined {
  const parts = /^([+-])(\d\d):(\d\d)/.exec(text ?? '');
  if (!parts) return undefined;
  const milliseconds = (Number(parts[2]) * 60 + Number(parts[3])) * 60_000;
  if (milliseconds > MAX_UTC_OFFSET_MS) return undefined;
  return parts[1] === '-' ? -milliseconds : milliseconds;
}

function parseGpsTime({ gpsDate, gpsTime }: ExifTimes): number | undefined {
  const date = /^(\d{4}):(\d\d):(\d\d)/.exec(gpsDate ?? '');
  if (!date || gpsTime?.length !== 3) return undefined;
  return toUtcTime([...date.slice(1).map(Number), ...gpsTime.map(Math.floor)]);
}

/**
 * Returns the time in Unix milliseconds. Returns `undefined` for nonexistent days and hours, which `Date` would change
 * to other days.
 */
function toUtcTime(parts: readonly number[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isUnchanged = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCHours() === hour;
  return isUnchanged && minute < 60 && second < 60 ? date.getTime() : undefined;
}

/** Seconds from the year 1904, the epoch of times in ISO 14496-12 files, to 1970. */
const EPOCH_1904_OFFSET_SECONDS = 2_082_844_800;

/**
 * Returns when a video was taken, Unix milliseconds, or `null` when the time is unknown: the creation time in the
 * video's movie header (8.2.2 of ISO 14496-12), which is UTC.
 * @param now Unix milliseconds; later times are rejected
 */
export function captureTimeOfVideo({ moov }: Mp4File, now: number): number | null {
  const header = listBoxes(moov.bytes, moov.start, moov).find(({ type }) => type === 'mvhd');
  if (!header) return null;
  const body = moov.bytes.subarray(header.bodyStart - moov.start, header.end - moov.start);
  const isLong = body[0] === 1;
  if (body.length < (isLong ? 12 : 8)) return null;
  const seconds = isLong ? Number(body.readBigUInt64BE(4)) : body.readUInt32BE(4);
  return plausibleCaptureTime((seconds - EPOCH_1904_OFFSET_SECONDS) * 1_000, now);
}
