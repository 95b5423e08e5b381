import { plausibleCaptureTime } from '../renderer/capture-time.js';
import { listBoxes } from './box.js';
import type { Mp4File } from './mp4-file.js';

/** Seconds from the year 1904, the epoch of times in ISO 14496-12 files, to 1970. */
const EPOCH_1904 = 2_082_844_800;

/**
 * Returns when a video was taken, Unix milliseconds: the creation time in its movie header (8.2.2 of ISO 14496-12),
 * which is UTC.
 * @param now Unix milliseconds; later times are rejected
 */
export function captureTimeOfVideo({ moov }: Mp4File, now: number): number | null {
  const header = listBoxes(moov.bytes, moov.start, moov).find(({ type }) => type === 'mvhd');
  if (!header) return null;
  const body = moov.bytes.subarray(header.bodyStart - moov.start, header.end - moov.start);
  const isLong = body[0] === 1;
  if (body.length < (isLong ? 12 : 8)) return null;
  const seconds = isLong ? Number(body.readBigUInt64BE(4)) : body.readUInt32BE(4);
  return plausibleCaptureTime((seconds - EPOCH_1904) * 1_000, now);
}
