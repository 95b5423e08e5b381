import type { ReconnectAdvice } from '@family-watch/domain/messages/contracts/socket-events';
import { withJitter } from './jitter.js';

const INITIAL_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;

/** Computes reconnection delays: exponential with jitter, at least as long as the service advises. */
export class Backoff {
  private failureCount = 0;
  private advice: ReconnectAdvice | undefined;

  /** Stores the service's advice on when to reconnect; the advice is valid until newer advice arrives. */
  applyAdvice(advice: ReconnectAdvice | undefined): void {
    if (advice) this.advice = advice;
  }

  /**
   * Returns the delay before the next attempt, milliseconds.
   *
   * @param retryAfter - further delay that the service has requested, seconds
   */
  nextDelay(retryAfter = 0): number {
    const exponentialDelay = Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** this.failureCount);
    const isFirst = this.failureCount === 0;
    this.failureCount += 1;
    const { minDelay, maxDelay } = this.advice ?? { minDelay: 0, maxDelay: 0 };
    const advisedDelay = minDelay + Math.random() * Math.max(0, maxDelay - minDelay);
    // The first delay follows the advice. After further failures the longer of the advised and the exponential delay
    // applies.
    const delay = isFirst && this.advice ? advisedDelay : Math.max(advisedDelay, withJitter(exponentialDelay));
    return delay + retryAfter * 1_000;
  }

  /** Starts again with the first delay, after a successful connection. */
  reset(): void {
    this.failureCount = 0;
  }
}
