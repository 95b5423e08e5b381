/** Minimum age of bytes without a row before they are deleted, milliseconds: their commit may be in progress. */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;
