/** Maximum time that a watch may have been without a network. Milliseconds. */
const MAX_DELAY_MS = 24 * 60 * 60_000;
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns when the child raised the SOS, in Unix milliseconds: the watch's time if it is plausible, otherwise the time
 * of receipt.
 */
export function resolveRaisedAt(reportedAt: number | undefined, now: number): number {
  return reportedAt !== undefined && reportedAt >= now - MAX_DELAY_MS && reportedAt <= now + CLOCK_TOLERANCE_MS
    ? Math.min(reportedAt, now)
    : now;
}
