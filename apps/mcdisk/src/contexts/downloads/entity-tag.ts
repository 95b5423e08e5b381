import { parseHttpDate } from './http-date.js';

/** Returns a strong entity tag: equal digests mean equal bytes. */
export function entityTagOf(digest: string): string {
  return `"${digest}"`;
}

/**
 * Evaluates If-None-Match (RFC 9110, 13.1.2) with the weak comparison. The value `*` matches any existing
 * representation.
 */
export function matchesIfNoneMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || parseTags(header).some((listedTag) => listedTag.replace(/^W\//, '') === tag);
}

/**
 * Evaluates If-Match (RFC 9110, 13.1.1) with the strong comparison. The value `*` matches any existing representation.
 */
export function matchesIfMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || parseTags(header).includes(tag);
}

/**
 * Evaluates If-Range (RFC 9110, 13.1.5) with the strong comparison. A date in If-Range must equal `modifiedAt`,
 * compared in whole seconds. This date is a strong validator, because the bytes of a content never change.
 * @param modifiedAt Unix milliseconds
 */
export function matchesIfRange(ifRange: string | undefined, tag: string, modifiedAt: number): boolean {
  if (ifRange === undefined || ifRange.trim() === tag) return true;
  const date = parseHttpDate(ifRange);
  return date !== undefined && Math.floor(date / 1_000) === Math.floor(modifiedAt / 1_000);
}

/** Splits a list of tags. Tags of this service contain no comma, so foreign tags with a comma never match. */
function parseTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
