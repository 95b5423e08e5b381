/** How often and how long a failing event is retried before it becomes a dead letter. */
export interface RetryPolicy {
  /** Total number of attempts including the first delivery; at least two. */
  maxAttempts: number;
  /** Delay after the first failure, milliseconds; the delay doubles with each further failure. */
  baseDelayMs: number;
  /** Maximum delay, milliseconds. */
  maxDelayMs: number;
}

/** Ten attempts in about four minutes, which is longer than the restart of a process takes. */
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
