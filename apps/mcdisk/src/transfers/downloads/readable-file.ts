import { encodeExtended } from 'content-disposition';
import type { Rendition } from '../../renditions/rendition-plan.js';
import type { ReadableContent } from '../../clouds/content-columns.js';

/** A file to send, with the properties for the response headers. */
export interface ReadableFile {
  blobKey: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of the bytes of the file, lower-case hex. */
  digest: string;
  mediaType: string;
  name: string;
  /** Unix milliseconds. */
  modifiedAt: number;
}

/** File extensions for renditions whose media type differs from the media type of the original. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'video/mp4': '.mp4',
};

/** Converts a content or one of its renditions to a file. */
export function toReadableFile(content: ReadableContent, bytes: Rendition | ReadableContent): ReadableFile {
  const { blobKey, size, digest, mediaType } = bytes;
  const name = mediaType === content.mediaType ? content.name : withExtension(content.name, EXTENSIONS[mediaType]);
  return { blobKey, size, digest, mediaType, name, modifiedAt: content.createdAt };
}

function withExtension(name: string, extension: string | undefined): string {
  if (extension === undefined) return name;
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(0, dot) : name) + extension;
}

/** Media types that a browser displays and never executes. */
const PASSIVE_TYPES =
  /^(image\/(jpeg|png|gif|webp|avif|heic|heif|bmp|tiff)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf)$/;

/** Returns the media type that a file is served as; types that could contain scripts become octet-stream. */
export function servedType(mediaType: string): string {
  return PASSIVE_TYPES.test(mediaType) ? mediaType : 'application/octet-stream';
}

/**
 * Returns the Content-Disposition of a download (RFC 6266): an ASCII name for old clients and the real name in RFC 8187
 * encoding. The disposition is always `attachment`, so that stored files are never executed as a page of this site.
 */
export function contentDisposition(name: string): string {
  const asciiName = name.replace(/[^\u0020-\u007e]|["%\\]/gu, '_');
  return `attachment; filename="${asciiName}"; filename*=${encodeExtended(name)}`;
}
