import type { ReconnectAdvice } from '@family-watch/domain/messages/contracts/socket-events';
import { withJitter } from './jitter.js';

const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/** How long to wait before the next connection: longer each time, never the same for two clients. */
export class Backoff {
  private failures = 0;
  private advice: ReconnectAdvice | undefined;

  /** The service says how to spread its clients; holds until it says something else. */
  applyAdvice(advice: ReconnectAdvice | undefined): void {
    if (advice) this.advice = advice;
  }

  /** @param retryAfter - seconds the service asked for
   *  @returns milliseconds */
  nextDelay(retryAfter = 0): number {
    const delay = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    const isFirst = this.failures === 0;
    this.failures += 1;
    const { minDelay, maxDelay } = this.advice ?? { minDelay: 0, maxDelay: 0 };
    const spread = minDelay + Math.random() * Math.max(0, maxDelay - minDelay);
    // The advice replaces the first wait; those after it tell of a service that is not well, and add to it.
    const wait = isFirst && this.advice ? spread : Math.max(spread, withJitter(delay));
    return wait + retryAfter * 1_000;
  }

  reset(): void {
    this.failures = 0;
  }
}
