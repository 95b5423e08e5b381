/** How much trouble is borne. */
export interface CircuitOptions {
  /** Failures in a row after which nothing is tried for a while. */
  failures: number;
  /** Milliseconds. */
  pause: number;
  /** Calls at once. */
  maxRunning: number;
}

/** Keeps calls from a service that does not answer, so that nobody waits for it in vain. */
export class CircuitBreaker {
  private failed = 0;
  private pausedUntil = 0;
  private running = 0;

  constructor(
    private readonly options: CircuitOptions,
    private readonly clock: () => number = Date.now,
  ) {}

  /** What `call` resolves with; `undefined` when it was not tried. @throws what `call` throws */
  async run<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    if (this.clock() < this.pausedUntil || this.running >= this.options.maxRunning) return undefined;
    // After a pause one call tries whether it is over; the others wait for what becomes of it.
    if (this.failed >= this.options.failures) this.pausedUntil = this.clock() + this.options.pause;
    this.running += 1;
    try {
      const result = await call();
      this.failed = 0;
      this.pausedUntil = 0;
      return result;
    } catch (error) {
      this.failed += 1;
      if (this.failed >= this.options.failures) this.pausedUntil = this.clock() + this.options.pause;
      throw error;
    } finally {
      this.running -= 1;
    }
  }
}
