/** How long a failing event is tried before it goes to the dead letters. */
export interface RetryPolicy {
  /** Attempts in all, the first delivery included; at least two. */
  maxAttempts: number;
  /** Pause after the first failure, milliseconds; it doubles with each further one. */
  baseMs: number;
  /** Longest pause, milliseconds. */
  maxMs: number;
}

/** Ten attempts in about four minutes: longer than a restart, shorter than a parent's patience. */
export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 10, baseMs: 500, maxMs: 60_000 };

/**
 * Milliseconds to wait after the given failed attempt (1 is the first). Half of the pause is random, so that
 * what failed together does not come back together.
 */
export function backoffMs(
  policy: Pick<RetryPolicy, 'baseMs' | 'maxMs'>,
  attempt: number,
  random: () => number = Math.random,
): number {
  const pause = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(pause / 2 + (random() * pause) / 2);
}
