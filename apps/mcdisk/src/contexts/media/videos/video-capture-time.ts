import { plausibleCaptureTime } from '../renderer/capture-time.js';
import { boxesIn } from './box.js';
import type { Mp4File } from './mp4-file.js';

/** Seconds from 1904, where the clock of these files begins, to 1970. */
const EPOCH_1904 = 2_082_844_800;

/**
 * When a film was taken, Unix milliseconds: the creation time of its index (8.2.2 of ISO 14496-12), which is UTC.
 * @param now Unix milliseconds; what lies after it is not believed
 */
export function captureTimeOfVideo({ moov }: Mp4File, now: number): number | null {
  const header = boxesIn(moov.bytes, moov.start, moov).find(({ type }) => type === 'mvhd');
  if (!header) return null;
  const body = moov.bytes.subarray(header.bodyStart - moov.start, header.end - moov.start);
  const isLong = body[0] === 1;
  if (body.length < (isLong ? 12 : 8)) return null;
  const seconds = isLong ? Number(body.readBigUInt64BE(4)) : body.readUInt32BE(4);
  return plausibleCaptureTime((seconds - EPOCH_1904) * 1_000, now);
}
