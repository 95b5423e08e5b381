import type { ByteRange } from '../../storage/blobs/blob-store.js';

/** The properties of a file to which the conditional headers of a request are compared. */
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
  const isRangeApplicable = matchesIfRange(textOf(headers['if-range']), tag, modifiedAt);
  const range = isRangeApplicable ? parseRange(textOf(headers['range']), size) : undefined;
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

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const TIME_PATTERN = '[0-2]\\d:[0-5]\\d:[0-6]\\d';
/** Patterns of the three date formats that a recipient must accept (RFC 9110, 5.6.7). */
const IMF_FIXDATE = new RegExp(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (${MONTHS}) \\d{4} ${TIME_PATTERN} GMT$`);
const RFC_850 = new RegExp(`^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-(${MONTHS})-\\d{2} ${TIME_PATTERN} GMT$`);
const ASCTIME = new RegExp(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (${MONTHS}) [ \\d]\\d ${TIME_PATTERN} \\d{4}$`);

/** Returns Unix milliseconds; `undefined` for an absent or invalid date. */
export function parseHttpDate(text: string | undefined): number | undefined {
  const date = text?.trim() ?? '';
  const parsed = IMF_FIXDATE.test(date) || RFC_850.test(date) ? Date.parse(date) : parseAsctime(date);
  return Number.isNaN(parsed) ? undefined : parsed;
}

export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

function parseAsctime(date: string): number {
  return ASCTIME.test(date) ? Date.parse(`${date} GMT`) : Number.NaN;
}
