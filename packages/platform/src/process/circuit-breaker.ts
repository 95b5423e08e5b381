/** Limits of a circuit breaker. */
export interface CircuitOptions {
  /** Consecutive failures after which the circuit opens. */
  maxFailures: number;
  /** How long the circuit stays open. Milliseconds. */
  pauseMs: number;
  /** Maximum number of concurrent calls. */
  maxConcurrent: number;
}

/** Stops calling a failing service for a while, so that callers fail fast. */
export class CircuitBreaker {
  private consecutiveFailures = 0;
  private openUntil = 0;
  private running = 0;

  constructor(
    private readonly options: CircuitOptions,
    private readonly clock: () => number = Date.now,
  ) {}

  /**
   * Returns the result of `call`, or `undefined` if the circuit is open or the concurrency limit is reached.
   * @throws the error of `call`
   */
  async run<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    if (this.clock() < this.openUntil || this.running >= this.options.maxConcurrent) return undefined;
    // After the pause, one call probes the service. Other calls are skipped until the probe finishes.
    if (this.consecutiveFailures >= this.options.maxFailures) this.openUntil = this.clock() + this.options.pauseMs;
    this.running += 1;
    try {
      const result = await call();
      this.consecutiveFailures = 0;
      this.openUntil = 0;
      return result;
    } catch (error) {
      this.consecutiveFailures += 1;
      if (this.consecutiveFailures >= this.options.maxFailures) this.openUntil = this.clock() + this.options.pauseMs;
      throw error;
    } finally {
      this.running -= 1;
    }
  }
}
