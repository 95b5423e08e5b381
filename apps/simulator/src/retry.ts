import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '@family-watch/client/api-error';

/** How long the demo waits for a server that went away, or for something that takes its way through the service. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/** Does it again while the server is away or busy. Only for what may be done twice. */
export async function retryUntilAvailable<Result>(
  work: () => Promise<Result>,
  patience = PATIENCE_MS,
): Promise<Result> {
  const deadline = Date.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || Date.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Asks until there is something else than `undefined`.
 * @throws Error saying what was waited for
 */
export async function pollUntil<Result>(
  what: string,
  ask: () => Promise<Result | undefined> | Result | undefined,
  patience = PATIENCE_MS,
): Promise<Result> {
  const deadline = Date.now() + patience;
  for (;;) {
    const result = await retryUntilAvailable(async () => ask(), patience);
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error(`waited ${Math.round(patience / 1_000)} s for ${what}`);
    await sleep(PAUSE_MS / 2);
  }
}

/**
 * Waits for something that would otherwise be waited for as long as it takes.
 * @throws Error saying what was waited for
 */
export async function withTimeout<Result>(
  what: string,
  awaited: Promise<Result>,
  patience = PATIENCE_MS,
): Promise<Result> {
  const over = new AbortController();
  const limit = sleep(patience, undefined, { signal: over.signal }).then(() => {
    throw new Error(`waited ${Math.round(patience / 1_000)} s for ${what}`);
  });
  try {
    return await Promise.race([awaited, limit]);
  } finally {
    limit.catch(() => undefined);
    over.abort();
  }
}
