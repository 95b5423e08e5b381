import { parseRange, UNSATISFIABLE } from './byte-range.js';
import type { ByteRange } from '../storage/blobs/blob-store.js';
import { matchesIfNoneMatch, matchesIfMatch, matchesIfRange } from './entity-tag.js';
import { parseHttpDate } from './http-date.js';

/** The properties of a file with which conditional headers are compared. */
export interface Representation {
  /** Entity tag, including quotes. */
  tag: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds. */
  modifiedAt: number;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The response to send: status 412, 304 or 416, or the bytes of the range. Without a range the response contains all
 * bytes.
 */
export type PreconditionResult =
  | { kind: 'failed' }
  | { kind: 'unmodified' }
  | { kind: 'unsatisfiable' }
  | { kind: 'bytes'; range: ByteRange | undefined };

/** Evaluates the conditional headers of a GET or HEAD request, in the order of RFC 9110, 13.2.2. */
export function evaluatePreconditions(headers: RequestHeaders, representation: Representation): PreconditionResult {
  const { tag, size, modifiedAt } = representation;
  if (!isPreconditionMet(headers, tag, modifiedAt)) return { kind: 'failed' };
  if (isUnmodified(headers, tag, modifiedAt)) return { kind: 'unmodified' };
  const isRangeValid = matchesIfRange(textOf(headers['if-range']), tag, modifiedAt);
  const range = isRangeValid ? parseRange(textOf(headers['range']), size) : undefined;
  return range === UNSATISFIABLE ? { kind: 'unsatisfiable' } : { kind: 'bytes', range };
}

/** Evaluates If-Match, or If-Unmodified-Since when If-Match is absent. */
function isPreconditionMet(headers: RequestHeaders, tag: string, modifiedAt: number): boolean {
  const match = textOf(headers['if-match']);
  if (match !== undefined) return matchesIfMatch(match, tag);
  const since = parseHttpDate(textOf(headers['if-unmodified-since']));
  return since === undefined || secondsOf(modifiedAt) <= secondsOf(since);
}

/** Evaluates If-None-Match, or If-Modified-Since when If-None-Match is absent. */
function isUnmodified(headers: RequestHeaders, tag: string, modifiedAt: number): boolean {
  const noneMatch = textOf(headers['if-none-match']);
  if (noneMatch !== undefined) return matchesIfNoneMatch(noneMatch, tag);
  const since = parseHttpDate(textOf(headers['if-modified-since']));
  return since !== undefined && secondsOf(modifiedAt) <= secondsOf(since);
}

/** Joins the values of a repeated header to one comma-separated list. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
