/**
 * Retention of revocations, milliseconds: twice the ten-minute lifetime of an access token, to allow for clock skew
 * and for readers that were disconnected.
 */
export const REVOCATION_RETENTION_MS = 20 * 60_000;

/** Interval of the publisher's heartbeats, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 500;

/** Time without a heartbeat after which a revocation may have been missed and requests are rejected, milliseconds. */
export const FEED_STALE_AFTER_MS = 2_000;

/** Maximum delay between a revocation's time and its commit, milliseconds; transactions are shorter. */
export const MAX_COMMIT_DELAY_MS = 60_000;
