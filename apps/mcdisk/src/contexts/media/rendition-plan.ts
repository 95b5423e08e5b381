import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/rendition';
import { MAX_PICTURE_BYTES } from './renderer/render-task.js';

/** How a rendition comes about. ORIGINAL: it needs none. NEVER: there cannot be one. */
export type RenditionPlan = 'PICTURE' | 'POSTER' | 'ANONYMOUS_FILM' | 'ORIGINAL' | 'NEVER';

const PICTURES = new Set(
  ['jpeg', 'png', 'apng', 'gif', 'webp', 'tiff', 'avif', 'heic', 'heif', 'heic-sequence', 'heif-sequence'].map(
    (name) => `image/${name}`,
  ),
);

/** Formats that have no place for metadata. */
const BARE = new Set(['image/bmp', 'audio/amr', 'text/plain']);

/** Films and sound in boxes (ISO 14496-12), which can be told apart and emptied. */
const BOXED = /^(video\/(mp4|quicktime|3gpp2?|x-m4v)|audio\/(mp4|x-m4a))$/;

/**
 * @param mediaType told from the bytes
 * @param size bytes
 */
export function planRendition(mediaType: string, size: number, kind: RenditionKind): RenditionPlan {
  if (PICTURES.has(mediaType)) return size <= MAX_PICTURE_BYTES ? 'PICTURE' : 'NEVER';
  if (kind === RENDITION_KIND.THUMBNAIL) return mediaType.startsWith('video/') ? 'POSTER' : 'NEVER';
  if (isIsoMediaFile(mediaType)) return 'ANONYMOUS_FILM';
  // A format that is not known here may say where it was taken.
  const isClosed = /^(image|video)\//.test(mediaType) && !BARE.has(mediaType);
  return isClosed ? 'NEVER' : 'ORIGINAL';
}

/** Whether its structure is that of `readMp4`. */
export function isIsoMediaFile(mediaType: string): boolean {
  return BOXED.test(mediaType);
}

/**
 * Whether what is shared of it is the file itself, in a format that may tell by whom it was made, or where: documents,
 * sound in most formats, and what is not known here.
 */
export function mayKeepMetadata(mediaType: string): boolean {
  return planRendition(mediaType, 0, RENDITION_KIND.SHARED) === 'ORIGINAL' && !BARE.has(mediaType);
}
