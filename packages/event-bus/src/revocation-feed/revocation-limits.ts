/**
 * How long a revocation is kept, milliseconds: longer than the ten minutes that an access token lives, by as much
 * again for clocks that differ and readers that were away.
 */
export const REVOCATION_RETENTION_MS = 20 * 60_000;

/** The side that writes says this often that it is there, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 500;

/** Silence after which a revocation may have been missed, milliseconds: doors close. */
export const FEED_STALE_AFTER_MS = 2_000;

/** A revocation's time is older than its commit by at most this, milliseconds: units of work are shorter. */
export const MAX_COMMIT_DELAY_MS = 60_000;
