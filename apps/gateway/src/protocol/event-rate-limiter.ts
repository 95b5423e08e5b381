export interface RateLimits {
  /** Events a second in the long run. */
  perSecond: number;
  /** Events that may come at once. */
  burst: number;
  /** Events that may be refused before the connection is closed; forgiven once the client has been quiet. */
  patience: number;
}

export type RateLimitDecision = 'pass' | 'refuse' | 'close';

/** A token bucket for one connection. */
export class EventRateLimiter {
  private tokens: number;
  private refused = 0;
  private refilledAt: number;

  /** @param now - clock, milliseconds */
  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number,
  ) {
    this.tokens = limits.burst;
    this.refilledAt = now();
  }

  /** Judges one event that has arrived. */
  consume(): RateLimitDecision {
    const { perSecond, burst, patience } = this.limits;
    const now = this.now();
    this.tokens = Math.min(burst, this.tokens + (Math.max(0, now - this.refilledAt) * perSecond) / 1_000);
    this.refilledAt = now;
    if (this.tokens >= burst) this.refused = 0;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 'pass';
    }
    this.refused += 1;
    return this.refused > patience ? 'close' : 'refuse';
  }
}
