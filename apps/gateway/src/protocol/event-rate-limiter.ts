export interface RateLimits {
  /** Average number of events per second that a connection may send. */
  perSecond: number;
  /** Number of events that may arrive without a pause between them. */
  burst: number;
  /** Events that may be rejected before the connection is closed; the count is reset when the bucket is full again. */
  maxRejections: number;
}

export type RateLimitDecision = 'pass' | 'reject' | 'close';

/** Limits the client events of one connection by a token bucket. */
export class EventRateLimiter {
  private tokens: number;
  private rejections = 0;
  private refilledAt: number;

  /** @param now - clock, milliseconds */
  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number,
  ) {
    this.tokens = limits.burst;
    this.refilledAt = now();
  }

  /** Counts one event and decides whether it passes, is rejected or closes the connection. */
  consume(): RateLimitDecision {
    const { perSecond, burst, maxRejections } = this.limits;
    const now = this.now();
    this.tokens = Math.min(burst, this.tokens + (Math.max(0, now - this.refilledAt) * perSecond) / 1_000);
    this.refilledAt = now;
    if (this.tokens >= burst) this.rejections = 0;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 'pass';
    }
    this.rejections += 1;
    return this.rejections > maxRejections ? 'close' : 'reject';
  }
}
