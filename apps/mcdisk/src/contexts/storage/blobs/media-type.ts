import { fileTypeFromBuffer } from 'file-type';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentType } from '@family-watch/domain/family-cloud/contracts/content';

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

/** Detects the media type from the first bytes of a file, never from its name. An empty file is text. */
export async function detectMediaType(head: Uint8Array): Promise<MediaType> {
  const mediaType = await detectSignature(head);
  if (mediaType === undefined) return isText(head) ? TEXT_TYPE : UNKNOWN_TYPE;
  return { mediaType, contentType: contentTypeOf(mediaType) };
}

async function detectSignature(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime.split(';')[0];
  } catch {
    // The detector reads at offsets that the file contains, which may be forged or point to bytes after `head`.
    return undefined;
  }
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
