import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '@family-watch/client/api-error';

/** How long the demo waits for an unreachable server or for an expected result. */
const DEFAULT_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 200;

/** Retries while the server is unreachable or busy. Only for idempotent work. */
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
 * @throws Error naming what was awaited
 */
export async function pollUntil<Result>(
  what: string,
  poll: () => Promise<Result | undefined> | Result | undefined,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await retryUntilAvailable(async () => poll(), timeoutMs);
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error(`waited ${Math.round(timeoutMs / 1_000)} s for ${what}`);
    await sleep(RETRY_DELAY_MS / 2);
  }
}

/**
 * Limits the time that a promise may take.
 * @throws Error naming what was awaited
 */
export async function withTimeout<Result>(
  what: string,
  awaited: Promise<Result>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Result> {
  const settled = new AbortController();
  const limit = sleep(timeoutMs, undefined, { signal: settled.signal }).then(() => {
    throw new Error(`waited ${Math.round(timeoutMs / 1_000)} s for ${what}`);
  });
  try {
    return await Promise.race([awaited, limit]);
  } finally {
    limit.catch(() => undefined);
    settled.abort();
  }
}
