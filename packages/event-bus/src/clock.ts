/** Wall clock in Unix milliseconds, injected so that tests own the time. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
