import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '@family-watch/client';

/**
 * Milliseconds for which the demo waits for a server that was reachable before, or for an expected result. On a busy
 * machine, the start of a server that was killed takes more than a minute.
 */
const DEFAULT_TIMEOUT_MS = 180_000;
const RETRY_DELAY_MS = 200;
/** A poll is repeated at least so often, so that a short timeout is longer on a machine on which a request takes long. */
const MIN_POLLS = 10;

/**
 * Runs `work` again while the server is unreachable or busy. `work` must be idempotent.
 *
 * @throws the last error of `work` after the timeout, or any error that is not retryable
 */
export async function retryUntilAvailable<Result>(
  work: () => Promise<Result>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || Date.now() > deadline) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}

/**
 * Polls until the result is not `undefined`.
 *
 * @param after - the timeout starts when this promise is settled
 * @throws Error with the text `what` after the timeout
 */
export async function pollUntil<Result>(
  what: string,
  poll: () => Promise<Result | undefined> | Result | undefined,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  after: Promise<unknown> = Promise.resolve(),
): Promise<Result> {
  let deadline = Infinity;
  const startTimeout = (): void => void (deadline = Date.now() + timeoutMs);
  void after.then(startTimeout, startTimeout);
  for (let count = 1; ; count += 1) {
    const result = await retryUntilAvailable(async () => poll(), timeoutMs);
    if (result !== undefined) return result;
    if (count >= MIN_POLLS && Date.now() > deadline)
      throw new Error(`waited ${Math.round(timeoutMs / 1_000)} s for ${what}`);
    await sleep(RETRY_DELAY_MS / 2);
  }
}

/**
 * Waits for a promise until the timeout.
 *
 * @throws Error with the text `what` after the timeout
 */
export async function withTimeout<Result>(
  what: string,
  awaited: Promise<Result>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Result> {
  const timeoutCancellation = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: timeoutCancellation.signal }).then(() => {
    throw new Error(`waited ${Math.round(timeoutMs / 1_000)} s for ${what}`);
  });
  try {
    return await Promise.race([awaited, timeout]);
  } finally {
    timeout.catch(() => undefined);
    timeoutCancellation.abort();
  }
}
