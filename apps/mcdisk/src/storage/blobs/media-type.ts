import { fileTypeFromBuffer } from 'file-type';
import { CONTENT_TYPE, type ContentType } from '@family-watch/domain/family-cloud/contracts/content';
import { hasSoundOnly } from './container-tracks.js';
import type { RandomAccessBytes } from './mp4-file.js';

export interface MediaType {
  /** Media type without parameters. */
  mediaType: string;
  contentType: ContentType;
}

const UNKNOWN_TYPE: MediaType = { mediaType: 'application/octet-stream', contentType: CONTENT_TYPE.OTHER };
const TEXT_TYPE: MediaType = { mediaType: 'text/plain', contentType: CONTENT_TYPE.DOCUMENT };

const DOCUMENT_TYPES = [
  /^application\/(pdf|rtf|epub\+zip|x-cfb|xml)$/,
  /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-)/,
  /^text\//,
];

/** Signatures of formats that the detector does not know, or not if it needs bytes that are not in `head`. */
const SIGNATURES = [
  { mediaType: 'audio/silk', starts: ['#!SILK_V3', '\u0002#!SILK_V3'] },
  { mediaType: 'image/tiff', starts: ['II*\0', 'MM\0*'] },
];

/**
 * Detects the media type from the bytes of a file, never from its name. An empty file is text. A file that can contain
 * videos, but contains only sound, is sound.
 * @param head the first bytes of the file
 */
export async function detectMediaType(head: Uint8Array, file: RandomAccessBytes): Promise<MediaType> {
  const mediaType = await detectSignature(head);
  if (mediaType === undefined) return isText(head) ? TEXT_TYPE : UNKNOWN_TYPE;
  const isSound = await hasSoundOnly(mediaType, file);
  const actualType = isSound ? mediaType.replace('video/', 'audio/') : mediaType;
  return { mediaType: actualType, contentType: contentTypeOf(actualType) };
}

async function detectSignature(head: Uint8Array): Promise<string | undefined> {
  // The detector reads at offsets that the file contains, which may be forged or point to bytes after `head`.
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  if (detected) return detected.mime.split(';')[0];
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  return SIGNATURES.find(({ starts }) => starts.some((text) => start.startsWith(text)))?.mediaType;
}

function contentTypeOf(mediaType: string): ContentType {
  if (mediaType.startsWith('image/')) return CONTENT_TYPE.IMAGE;
  if (mediaType.startsWith('audio/')) return CONTENT_TYPE.AUDIO;
  if (mediaType.startsWith('video/')) return CONTENT_TYPE.VIDEO;
  return DOCUMENT_TYPES.some((pattern) => pattern.test(mediaType)) ? CONTENT_TYPE.DOCUMENT : CONTENT_TYPE.OTHER;
}

// oxlint-disable-next-line no-control-regex -- control characters are intended
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** Returns whether the bytes are UTF-8 without control characters; the last character may be incomplete. */
function isText(head: Uint8Array): boolean {
  // In UTF-8, these bytes are always control characters. Almost every binary file has one, and an exception of the
  // decoder costs much more.
  if (CONTROL_CHARACTERS.test(Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1'))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
