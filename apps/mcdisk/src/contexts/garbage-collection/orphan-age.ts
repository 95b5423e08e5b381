/** Bytes that no row knows are left alone for so long, milliseconds: their commit may be under way. */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;
