import type { Rendition } from '../media/rendition.js';
import type { ReadableContent } from './readable-content.js';

/** Bytes that somebody may read, and what an answer says of them. */
export interface ReadableFile {
  blobKey: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of these bytes, lower-case hex. */
  digest: string;
  mediaType: string;
  name: string;
  /** Unix milliseconds. */
  modifiedAt: number;
}

/** What a rendition is saved as, where it is of another kind than its original. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'video/mp4': '.mp4',
};

/** The original, or what was made of it. */
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
