/** Strong: the same digest is the same bytes. */
export function entityTagOf(digest: string): string {
  return `"${digest}"`;
}

/** If-None-Match (RFC 9110, 13.1.2): compares weakly, and `*` fits whatever exists. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((known) => known.trim().replace(/^W\//, '') === tag);
}

/** If-Range (RFC 9110, 13.1.5): compares strongly; a date is never good enough, and a range only holds when it fits. */
export function rangeHolds(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}
