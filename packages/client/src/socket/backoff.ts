import { jittered } from './jitter.js';

const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/** How long to wait before the next connection: longer each time, never the same for two clients. */
export class Backoff {
  private failures = 0;

  /** @param retryAfter - seconds the service asked for
   *  @returns milliseconds */
  next(retryAfter = 0): number {
    const delay = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    return jittered(delay) + retryAfter * 1_000;
  }

  reset(): void {
    this.failures = 0;
  }
}
