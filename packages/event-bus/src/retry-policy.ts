import type { EventBusLogger } from './logger.js';

/** How often and how long a failing event is retried before it becomes a dead letter. */
export interface RetryPolicy {
  /** Total number of attempts including the first delivery; at least two. */
  maxAttempts: number;
  /** Delay after the first failure, milliseconds; the delay doubles with each further failure. */
  baseDelayMs: number;
  /** Maximum delay, milliseconds. */
  maxDelayMs: number;
}

/**
 * Ten attempts in two and a half minutes: the sum of nine delays, each of which is random between half and the whole of
 * its value. The restart of a process takes less time.
 */
export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 10, baseDelayMs: 500, maxDelayMs: 60_000 };

/**
 * Returns the delay in milliseconds after the given failed attempt (1 is the first). Half of the delay is random, so
 * that events that failed together are not retried together.
 */
export function backoffMs(
  policy: Pick<RetryPolicy, 'baseDelayMs' | 'maxDelayMs'>,
  attempt: number,
  random: () => number = Math.random,
): number {
  const delayMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(delayMs / 2 + (random() * delayMs) / 2);
}

const PARTITION_BACKOFF = { baseDelayMs: 100, maxDelayMs: 5_000 };

/** Delays the next publish of a partition after its envelope was rejected. */
export class PartitionBackoff {
  readonly #failures = new Map<number, number>();
  /** When the delay of each partition ends, milliseconds of the monotonic clock. */
  readonly #delayedUntil = new Map<number, number>();

  constructor(private readonly logger: EventBusLogger) {}

  isBackingOff(partition: number): boolean {
    return (this.#delayedUntil.get(partition) ?? 0) > performance.now();
  }

  /** Starts a delay that grows with consecutive failures. `onElapsed` is called when the delay has passed. */
  start(partition: number, error: unknown, onElapsed: () => void): void {
    const failures = (this.#failures.get(partition) ?? 0) + 1;
    const delayMs = backoffMs(PARTITION_BACKOFF, failures);
    this.#failures.set(partition, failures);
    this.#delayedUntil.set(partition, performance.now() + delayMs);
    setTimeout(onElapsed, delayMs + 1).unref();
    if (failures === 1) this.logger.warn('Envelope publish failed', { partition, error });
  }

  reset(partition: number): void {
    this.#failures.delete(partition);
    this.#delayedUntil.delete(partition);
  }
}
