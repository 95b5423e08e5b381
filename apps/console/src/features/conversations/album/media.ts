import type { Content } from './library.js';

const IMAGE = 1;
const VIDEO = 3;

/** Returns whether the album shows a file: voice messages and documents are in the same cloud. */
export function isMediaMessage({ contentType }: Pick<Content, 'contentType'>): boolean {
  return contentType === IMAGE || contentType === VIDEO;
}

export function isVideo({ contentType }: Pick<Content, 'contentType'>): boolean {
  return contentType === VIDEO;
}
