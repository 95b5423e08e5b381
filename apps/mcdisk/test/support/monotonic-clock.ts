import { jest } from '@jest/globals';

const realNow = performance.now.bind(performance);

/**
 * Moves the monotonic clock of this process (`performance.now`) to `milliseconds` ahead of the real time, until
 * `jest.restoreAllMocks`. Timers that have started are unaffected.
 */
export function moveMonotonicClock(milliseconds: number): void {
  jest.spyOn(performance, 'now').mockImplementation(() => realNow() + milliseconds);
}
