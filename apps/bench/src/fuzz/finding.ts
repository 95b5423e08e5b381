import type { Iteration } from './fuzz-options.js';

/** Something that the service did not withstand. */
export interface Finding {
  /** Absent for a finding that belongs to no single iteration. */
  iteration?: Iteration;
  what: string;
  /** The request or the frames, shortened. */
  input: string;
  output: string;
}

const MAX_TEXT_LENGTH = 2_000;

export const shorten = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)` : text;

/** Parts of stack traces, of SQL and of errors of Postgres. */
const INTERNALS =
  /\bat (?:async )?[\w.<>[\] ]+ \((?:file:|node:|\/)|\.[jt]s:\d+:\d+|QueryFailedError|syntax error at or near|violates \w+(?: \w+)? constraint|relation "[\w.]+" does not exist/;

export function showsInternals(text: string): boolean {
  return INTERNALS.test(text);
}
