import { performance } from 'node:perf_hooks';

/** Average share of the time that the event loop may be busy before guesses are rejected. */
const MAX_UTILIZATION = 0.8;
/** Weight of the newest interval in the average; short bursts of work do not reject anything. */
const NEWEST_WEIGHT = 0.3;
/** Public requests of one operation that may fail at once, and per second, while the event loop is too busy. */
const BURST = 100;
const PER_SECOND = 50;

interface Budget {
  /** Number of requests that may still fail. */
  failures: number;
  updatedAt: number;
}

/**
 * Protects the event loop from guesses that arrive from many addresses: while the event loop is too busy, requests of a
 * public operation that fails often are rejected before they are processed. A rejected request costs a fraction of a
 * guess that is looked up, so authenticated callers and other public operations keep the event loop.
 */
export class PublicAdmission {
  private utilization = 0;
  private previous = performance.eventLoopUtilization();
  /** Budgets by operation id. */
  private readonly budgets = new Map<string, Budget>();

  /** Updates the average utilization of the event loop. Callers must call this method at a fixed, short interval. */
  measure(newest = this.utilizationSinceLastCall()): void {
    this.utilization += NEWEST_WEIGHT * (newest - this.utilization);
  }

  /** Returns false if the request must be rejected with OVERLOADED. */
  admits(operationId: string, now = performance.now()): boolean {
    return this.utilization <= MAX_UTILIZATION || this.budgetOf(operationId, now).failures >= 1;
  }

  /** Counts a failed request that was admitted. */
  countFailure(operationId: string, now = performance.now()): void {
    const budget = this.budgetOf(operationId, now);
    budget.failures = Math.max(0, budget.failures - 1);
  }

  private budgetOf(operationId: string, now: number): Budget {
    const budget = this.budgets.get(operationId) ?? { failures: BURST, updatedAt: now };
    this.budgets.set(operationId, budget);
    budget.failures = Math.min(BURST, budget.failures + ((now - budget.updatedAt) * PER_SECOND) / 1_000);
    budget.updatedAt = now;
    return budget;
  }

  private utilizationSinceLastCall(): number {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, this.previous);
    this.previous = current;
    return utilization;
  }
}
