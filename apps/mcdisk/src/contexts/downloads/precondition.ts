import { parseRange } from './byte-range.js';
import type { ByteRange } from '../blobs/blob-store.js';
import { UNSATISFIABLE } from './byte-range.js';
import { matchesIfNoneMatch, matchesIfMatch, matchesIfRange } from './entity-tag.js';
import { parseHttpDate } from './http-date.js';

/** The bytes that are asked for, as far as headers speak of them. */
export interface Representation {
  /** Entity tag, with its quotes. */
  tag: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds. */
  modifiedAt: number;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What to answer: 412, 304, 416, or bytes; without a range all of them. */
export type PreconditionResult =
  | { kind: 'failed' }
  | { kind: 'unmodified' }
  | { kind: 'unsatisfiable' }
  | { kind: 'bytes'; range: ByteRange | undefined };

/** Evaluates what a GET or HEAD depends on, in the order of RFC 9110, 13.2.2. */
export function evaluatePreconditions(headers: RequestHeaders, representation: Representation): PreconditionResult {
  const { tag, size, modifiedAt } = representation;
  if (!preconditionHolds(headers, tag, modifiedAt)) return { kind: 'failed' };
  if (isUnmodified(headers, tag, modifiedAt)) return { kind: 'unmodified' };
  const holds = matchesIfRange(textOf(headers['if-range']), tag, modifiedAt);
  const range = holds ? parseRange(textOf(headers['range']), size) : undefined;
  return range === UNSATISFIABLE ? { kind: 'unsatisfiable' } : { kind: 'bytes', range };
}

/** If-Match; If-Unmodified-Since only counts without it. */
function preconditionHolds(headers: RequestHeaders, tag: string, modifiedAt: number): boolean {
  const match = textOf(headers['if-match']);
  if (match !== undefined) return matchesIfMatch(match, tag);
  const since = parseHttpDate(textOf(headers['if-unmodified-since']));
  return since === undefined || secondsOf(modifiedAt) <= secondsOf(since);
}

/** If-None-Match; If-Modified-Since only counts without it. */
function isUnmodified(headers: RequestHeaders, tag: string, modifiedAt: number): boolean {
  const noneMatch = textOf(headers['if-none-match']);
  if (noneMatch !== undefined) return matchesIfNoneMatch(noneMatch, tag);
  const since = parseHttpDate(textOf(headers['if-modified-since']));
  return since !== undefined && secondsOf(modifiedAt) <= secondsOf(since);
}

/** A header that came several times is the same as one list. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
