import type { ByteRange } from '../storage/blobs/blob-store.js';

/** Result for a range that contains no byte of the content (RFC 9110, 14.1.2). */
export const UNSATISFIABLE = 'unsatisfiable';

/**
 * Parses a Range header. Returns `undefined` for anything except a single byte range; the response then contains the
 * whole content, as RFC 9110 (14.2) allows.
 * @param size bytes of the content
 */
export function parseRange(header: string | undefined, size: number): ByteRange | typeof UNSATISFIABLE | undefined {
  const match = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first, last, suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? UNSATISFIABLE : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last && Number(last) < start) return undefined;
  if (start >= size) return UNSATISFIABLE;
  return { start, end: last ? Math.min(Number(last), size - 1) : size - 1 };
}
