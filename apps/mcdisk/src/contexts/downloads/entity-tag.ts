import { parseHttpDate } from './http-date.js';

/** Strong: the same digest is the same bytes. */
export function entityTagOf(digest: string): string {
  return `"${digest}"`;
}

/** If-None-Match (RFC 9110, 13.1.2): compares weakly, and `*` fits whatever exists. */
export function matchesIfNoneMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || listed(header).some((known) => known.replace(/^W\//, '') === tag);
}

/** If-Match (RFC 9110, 13.1.1): compares strongly, and `*` fits whatever exists. */
export function matchesIfMatch(header: string, tag: string): boolean {
  return header.trim() === '*' || listed(header).includes(tag);
}

/**
 * If-Range (RFC 9110, 13.1.5): compares strongly. A date has to be the very one; it is a strong validator here,
 * because the bytes of a content never change.
 * @param modifiedAt Unix milliseconds
 */
export function matchesIfRange(ifRange: string | undefined, tag: string, modifiedAt: number): boolean {
  if (ifRange === undefined || ifRange.trim() === tag) return true;
  const date = parseHttpDate(ifRange);
  return date !== undefined && Math.floor(date / 1_000) === Math.floor(modifiedAt / 1_000);
}

/** Our tags have no comma; those of others that do cannot be ours. */
function listed(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
