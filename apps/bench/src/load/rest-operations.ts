import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isRetryable, type Fetch } from '@family-watch/client';

const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_DELAY_MS = 250;

/** A `fetch` that abandons requests without a response, like an app. */
export const fetchWithTimeout: Fetch = (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

/**
 * Repeats an idempotent operation until the service acknowledges it.
 *
 * @param signal - ends the repetition
 * @throws the error of the service if the service rejects the operation itself; the last error after `signal`
 */
export async function untilAcknowledged<Result>(
  operation: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const isServerError = error instanceof ApiError && error.status >= 500;
      if (signal?.aborted || !(isRetryable(error) || isServerError)) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}
