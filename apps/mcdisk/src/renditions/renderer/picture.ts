import heicDecode from 'heic-decode';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import ExifReader from 'exifreader';
import {
  RENDITION_KIND,
  THUMBNAIL_MAX_EDGE_PX,
  type RenditionKind,
} from '@family-watch/domain/family-cloud/contracts/blob';
import { MAX_HEIC_PIXELS, MAX_PIXELS, type RenderedPicture } from './render-task.js';
import { captureTimeOf, type ExifTimes } from '../capture-time.js';

/** The picture has too many pixels, according to its header; its pixels have not been decoded. */
export class PictureTooLargeError extends Error {
  override readonly name = 'PictureTooLargeError';
}

/** A picture in a format that sharp can decode, and the header of the picture. */
interface DecodablePicture {
  /** The encoded file, or the decoded pixels of a HEIC picture. */
  input: Buffer;
  options: SharpOptions;
  metadata: Metadata;
}

const PERMITTED_LOADERS = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif'].map((name) => `VipsForeignLoad${name}`);
/**
 * Formats of which the part that can be decoded is shown if the file is damaged, for example without its last bytes. The
 * decoders of other formats return black pixels or nothing.
 */
const DAMAGE_TOLERANT_FORMATS: ReadonlySet<Metadata['format']> = new Set(['jpeg', 'gif']);
const THUMBNAIL_QUALITY = 80;
const SHARED_QUALITY = 92;
const WHITE = '#ffffff';

/**
 * Configures sharp once per process: one picture at a time on one core, no cache, and only loaders for formats that
 * cannot contain drawing instructions or references to other files.
 */
export function prepareSharp(): void {
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: PERMITTED_LOADERS });
}

/**
 * Decodes a picture and encodes it again, upright and without metadata.
 * @throws PictureTooLargeError
 * @throws Error when the picture cannot be decoded
 */
export async function renderPicture(
  bytes: Buffer,
  kind: RenditionKind,
): Promise<{ bytes: Buffer; picture: RenderedPicture }> {
  const source = await openPicture(bytes, kind);
  const capturedAt = captureTimeOf(exifTimesOf(source.metadata.exif), Date.now());
  const upright = sharp(source.input, source.options).autoOrient();
  const encoded =
    kind === RENDITION_KIND.THUMBNAIL ? resizeToThumbnail(upright) : toShareableFormat(upright, source.metadata);
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  const height = info.pageHeight ?? info.height;
  return { bytes: data, picture: { mediaType: toMediaType(info.format), width: info.width, height, capturedAt } };
}

async function openPicture(bytes: Buffer, kind: RenditionKind): Promise<DecodablePicture> {
  // The shared rendition of an animation is animated; the thumbnail shows the first frame.
  const animated = kind === RENDITION_KIND.SHARED;
  const header = await sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata();
  const { width, height, compression } = header;
  const frames = animated ? (header.pages ?? 1) : 1;
  if (width * height * (isAnimation(header) ? frames : 1) > MAX_PIXELS) throw tooLargeError(width, height, frames);
  if (compression === 'hevc') return decodeHeic(bytes, header);
  const failOn = DAMAGE_TOLERANT_FORMATS.has(header.format) ? 'none' : 'error';
  const options = { limitInputPixels: MAX_PIXELS, failOn, animated: animated && isAnimation(header) } as const;
  return { input: bytes, options, metadata: header };
}

/** Decodes HEIC separately because sharp's library has no HEVC. Rotated and mirrored pictures become upright. */
async function decodeHeic(bytes: Buffer, header: Metadata): Promise<DecodablePicture> {
  const images = await heicDecode.all({ buffer: bytes });
  try {
    const image = images[header.pagePrimary ?? 0] ?? images[0];
    if (!image) throw new Error('The file has no picture');
    if (image.width * image.height > MAX_HEIC_PIXELS) throw tooLargeError(image.width, image.height, 1);
    const { data, width, height } = await image.decode();
    const pixels = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    return {
      input: pixels,
      options: { raw: { width, height, channels: 4 }, limitInputPixels: MAX_PIXELS },
      metadata: header,
    };
  } finally {
    images.dispose();
  }
}

function isAnimation({ format }: Metadata): boolean {
  return format === 'gif' || format === 'webp';
}

function resizeToThumbnail(picture: Sharp): Sharp {
  return picture
    .resize(THUMBNAIL_MAX_EDGE_PX, THUMBNAIL_MAX_EDGE_PX, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: WHITE })
    .jpeg({ quality: THUMBNAIL_QUALITY, progressive: false });
}

/**
 * Chooses the format of a rendition for sharing. PNG, GIF and WebP keep their format. Pictures of all other formats,
 * some of which few clients display, become JPEG.
 */
function toShareableFormat(picture: Sharp, { format }: Metadata): Sharp {
  if (format === 'png') return picture.png();
  if (format === 'gif') return picture.gif();
  if (format === 'webp') return picture.webp({ quality: SHARED_QUALITY });
  return picture.flatten({ background: WHITE }).jpeg({ quality: SHARED_QUALITY, chromaSubsampling: '4:4:4' });
}

function toMediaType(format: string): string {
  return `image/${format === 'jpg' ? 'jpeg' : format}`;
}

function tooLargeError(width: number, height: number, frames: number): PictureTooLargeError {
  return new PictureTooLargeError(`${width} × ${height} pixels in ${frames} frames`);
}

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1');

/**
 * Reads the times from a block of EXIF. The parser receives only this block, so that the rest of the file cannot
 * exploit the parser.
 */
function exifTimesOf(exif: Buffer | undefined): ExifTimes {
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
