/** A watch may have been without a network for so long. Milliseconds. */
const OLDEST = 24 * 60 * 60_000;
const CLOCK_SKEW = 60_000;

/** When the child called: by the watch's clock where that can be, else when the call arrived. Unix milliseconds. */
export function resolveRaisedAt(said: number | undefined, now: number): number {
  return said !== undefined && said >= now - OLDEST && said <= now + CLOCK_SKEW ? Math.min(said, now) : now;
}
