/**
 * Minimum age at which bytes without a row are deleted, milliseconds. The commit of younger bytes may be in progress.
 */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;
