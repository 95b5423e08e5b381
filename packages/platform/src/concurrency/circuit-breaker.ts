/** Limits of a circuit breaker. */
export interface CircuitOptions {
  /** Consecutive failures after which the circuit opens; failures of the same caller count once. */
  maxFailures: number;
  /** How long the circuit stays open. Milliseconds. */
  pauseMs: number;
  /** The pause doubles with each probe that fails, up to so many milliseconds; it stays the same by default. */
  maxPauseMs?: number;
  /** Maximum number of concurrent calls. */
  maxConcurrent: number;
  /** Called when the circuit opens and when it closes, not for single failures. */
  onChange?: (isOpen: boolean) => void;
}

/** On whose behalf a call runs, and whether it runs in any case. */
export interface CircuitCall {
  /** Failures of one caller are evidence only once. By default each call has a caller of its own. */
  caller?: string;
  /** Runs although the circuit is open or the concurrency limit is reached; the result counts as usual. */
  isForced?: boolean;
}

/** Stops calling a failing service for a while, so that callers fail fast. */
export class CircuitBreaker {
  /** Callers with a failure since the last success. */
  private readonly failedCallers = new Set<string | symbol>();
  private pausedUntil = 0;
  /** Until when other calls are skipped while a probe has not ended. */
  private probesUntil = 0;
  private pauseMs: number;
  private running = 0;

  constructor(
    private readonly options: CircuitOptions,
    private readonly clock: () => number = Date.now,
  ) {
    this.pauseMs = options.pauseMs;
  }

  /** End of the pause, by the clock of the breaker; in the past if there is no pause or a probe is in progress. */
  get openUntil(): number {
    return this.pausedUntil;
  }

  /** False if {@link run} would skip a call now. */
  get isAccepting(): boolean {
    return this.clock() >= Math.max(this.pausedUntil, this.probesUntil) && this.running < this.options.maxConcurrent;
  }

  /**
   * Returns the result of `call`, or `undefined` if the circuit is open or the concurrency limit is reached.
   * @throws the error of `call`
   */
  async run<Result>(call: () => Promise<Result>, { caller, isForced }: CircuitCall = {}): Promise<Result | undefined> {
    if (!this.isAccepting && isForced !== true) return undefined;
    const isProbe = this.hasTripped;
    // After the pause, one call probes the service. Other calls are skipped until the probe finishes.
    if (isProbe) this.probesUntil = this.clock() + this.pauseMs;
    this.running += 1;
    try {
      const result = await call();
      this.recordSuccess();
      return result;
    } catch (error) {
      this.recordFailure(caller ?? Symbol(), isProbe);
      throw error;
    } finally {
      this.running -= 1;
    }
  }

  private get hasTripped(): boolean {
    return this.failedCallers.size >= this.options.maxFailures;
  }

  private recordSuccess(): void {
    const { hasTripped } = this;
    this.failedCallers.clear();
    this.pausedUntil = 0;
    this.probesUntil = 0;
    this.pauseMs = this.options.pauseMs;
    if (hasTripped) this.options.onChange?.(false);
  }

  private recordFailure(caller: string | symbol, isProbe: boolean): void {
    const { pauseMs, maxPauseMs = pauseMs } = this.options;
    if (!this.hasTripped) {
      this.failedCallers.add(caller);
      if (!this.hasTripped) return;
      this.options.onChange?.(true);
    } else if (isProbe) {
      this.pauseMs = Math.min(this.pauseMs * 2, maxPauseMs);
    }
    this.pausedUntil = this.clock() + this.pauseMs;
  }
}
