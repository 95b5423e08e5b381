import ExifReader from 'exifreader';
import type { ExifTimes } from './capture-time.js';

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1');

/**
 * Reads the times from a block of EXIF. The parser receives only this block, so that the rest of the file cannot
 * exploit the parser.
 */
export function exifTimesOf(exif: Buffer | undefined): ExifTimes {
  if (!exif) return {};
  const tiff = exif.subarray(0, EXIF_PREFIX.length).equals(EXIF_PREFIX) ? exif.subarray(EXIF_PREFIX.length) : exif;
  try {
    const tags = ExifReader.load(tiff, { includeTags: { exif: true } });
    return {
      localTime: textOf(tags.DateTimeOriginal),
      utcOffset: textOf(tags.OffsetTimeOriginal),
      gpsDate: textOf(tags.GPSDateStamp),
      gpsTime: rationalsOf(tags.GPSTimeStamp),
    };
  } catch {
    // EXIF that cannot be parsed is ignored, because the picture is usable without a capture time.
    return {};
  }
}

function textOf(tag: { value: unknown } | undefined): string | undefined {
  const value: unknown = Array.isArray(tag?.value) ? tag.value[0] : tag?.value;
  return typeof value === 'string' ? value : undefined;
}

function rationalsOf(tag: { value: unknown } | undefined): number[] | undefined {
  if (!Array.isArray(tag?.value)) return undefined;
  const parts = tag.value.map((part: unknown) => {
    const [numerator, denominator] = Array.isArray(part) ? (part as unknown[]) : [part, 1];
    return Number(numerator) / Number(denominator);
  });
  return parts.every(Number.isFinite) ? parts : undefined;
}
