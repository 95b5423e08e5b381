import { fileTypeFromBuffer } from 'file-type';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentType } from '@family-watch/domain/family-cloud/contracts/content';

export interface MediaType {
  /** Media type without parameters. */
  mediaType: string;
  contentType: ContentType;
}

const UNKNOWN: MediaType = { mediaType: 'application/octet-stream', contentType: CONTENT_TYPE.OTHER };
const TEXT: MediaType = { mediaType: 'text/plain', contentType: CONTENT_TYPE.DOCUMENT };

const DOCUMENTS = [
  /^application\/(pdf|rtf|epub\+zip|x-cfb|xml)$/,
  /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-)/,
  /^text\//,
];

/** Tells the kind of a file from its first bytes, never from its name. An empty file is an empty text. */
export async function detectMediaType(head: Uint8Array): Promise<MediaType> {
  const mediaType = await signatureOf(head);
  if (mediaType === undefined) return isText(head) ? TEXT : UNKNOWN;
  return { mediaType, contentType: contentTypeOf(mediaType) };
}

async function signatureOf(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime.split(';')[0];
  } catch {
    // The detector follows the file's own offsets, which may lead beyond its head or be lies.
    return undefined;
  }
}

function contentTypeOf(mediaType: string): ContentType {
  if (mediaType.startsWith('image/')) return CONTENT_TYPE.IMAGE;
  if (mediaType.startsWith('audio/')) return CONTENT_TYPE.AUDIO;
  if (mediaType.startsWith('video/')) return CONTENT_TYPE.VIDEO;
  return DOCUMENTS.some((pattern) => pattern.test(mediaType)) ? CONTENT_TYPE.DOCUMENT : CONTENT_TYPE.OTHER;
}

/** UTF-8 without control characters; the head may end in the middle of a character. */
function isText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}
