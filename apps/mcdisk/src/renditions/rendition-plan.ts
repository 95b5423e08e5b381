import { RENDITION_KIND, type RenditionKind } from '@family-watch/domain/family-cloud/contracts/blob';
import type { RenditionEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { MAX_PICTURE_BYTES } from './renderer/render-task.js';

/** Maximum number of attempts to generate a rendition, including attempts that crashed their process. */
export const MAX_ATTEMPTS = 3;

/** The stored bytes of a rendition, or those of the original when no rendition is needed. */
export interface Rendition {
  blobKey: string;
  /** Detected from the bytes. */
  mediaType: string;
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
}

/** The exclusive right of one attempt to generate a rendition. */
export interface RenditionLease extends Pick<RenditionEntity, 'sourceKey' | 'kind' | 'cloudId' | 'attempts'> {
  /** Bytes of the source. */
  size: number;
  /** Random id of this attempt. */
  holder: string;
}

/** A generated rendition. */
export interface ReadyRendition extends Rendition, RenditionMetadata {
  state: 'READY';
}

/** Properties of a rendition. */
export interface RenditionMetadata {
  /** Detected from the bytes. */
  mediaType: string;
  /** Width in pixels, or `null` for a rendition without dimensions. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** Time at which the source was captured, Unix milliseconds. */
  capturedAt: number | null;
}

/** Properties of a source without a rendition. */
export interface RenditionNotApplicable {
  state: 'NONE' | 'FAILED';
  /** Detected from the bytes, or `null` when the source could not be read. */
  mediaType: string | null;
  /** Unix milliseconds. */
  capturedAt: number | null;
}

/**
 * How a rendition is generated. ORIGINAL: the original file is used instead of a rendition. NEVER: a rendition is not
 * possible.
 */
export type RenditionPlan = 'PICTURE' | 'POSTER' | 'STRIPPED_VIDEO' | 'ORIGINAL' | 'NEVER';

const PICTURE_TYPES = new Set(
  ['jpeg', 'png', 'apng', 'gif', 'webp', 'tiff', 'avif', 'heic', 'heif', 'heic-sequence', 'heif-sequence'].map(
    (name) => `image/${name}`,
  ),
);

/** Formats that cannot contain metadata. */
const TYPES_WITHOUT_METADATA = new Set(['image/bmp', 'audio/amr', 'audio/silk', 'text/plain']);
/**
 * Media types of videos and sound in ISO 14496-12 files. The boxes with metadata in files of these types can be found
 * and emptied.
 */
const ISO_MEDIA_TYPE_PATTERN = /^(video|audio)\/(mp4|quicktime|3gpp2?|x-m4[av])$/;

/**
 * Decides how a rendition is generated.
 * @param mediaType detected from the bytes
 * @param size bytes
 */
export function planRendition(mediaType: string, size: number, kind: RenditionKind): RenditionPlan {
  if (PICTURE_TYPES.has(mediaType)) return size <= MAX_PICTURE_BYTES ? 'PICTURE' : 'NEVER';
  if (kind === RENDITION_KIND.THUMBNAIL) return mediaType.startsWith('video/') ? 'POSTER' : 'NEVER';
  if (isIsoMediaFile(mediaType)) return 'STRIPPED_VIDEO';
  // Pictures and videos in formats from which metadata cannot be removed may contain a location.
  const mayContainLocation = /^(image|video)\//.test(mediaType) && !TYPES_WITHOUT_METADATA.has(mediaType);
  return mayContainLocation ? 'NEVER' : 'ORIGINAL';
}

/** Returns whether `readMp4` can read the structure of files of this type. */
export function isIsoMediaFile(mediaType: string): boolean {
  return ISO_MEDIA_TYPE_PATTERN.test(mediaType);
}

/**
 * Returns whether files of this type are shared unchanged although they may contain an author or a location. The result
 * is true for documents, most sound formats and unknown formats.
 */
export function mayKeepMetadata(mediaType: string): boolean {
  return planRendition(mediaType, 0, RENDITION_KIND.SHARED) === 'ORIGINAL' && !TYPES_WITHOUT_METADATA.has(mediaType);
}
