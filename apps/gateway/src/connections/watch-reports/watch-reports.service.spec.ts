import { describe, expect, test } from '@jest/globals';
import { StatusThrottle, toWatchStatus } from './watch-reports.service.js';

const MINUTE_MS = 60_000;

describe('StatusThrottle', () => {
  test('publishes the first status and a changed battery level immediately, and other changes once a minute', () => {
    const throttle = new StatusThrottle();
    const status = toWatchStatus({ battery: 80, signal: 2, stepTotal: 10 });
    expect(throttle.shouldPublish(status, 0)).toBe(true);
    expect(throttle.shouldPublish({ ...status, signal: 3, stepTotal: 25 }, 1_000)).toBe(false);
    expect(throttle.shouldPublish({ ...status, battery: 79 }, 2_000)).toBe(true);
    expect(throttle.shouldPublish({ ...status, battery: 79 }, 2_000 + MINUTE_MS - 1)).toBe(false);
    expect(throttle.shouldPublish({ ...status, battery: 79, stepTotal: 30 }, 2_000 + MINUTE_MS)).toBe(true);
  });

  test('publishes an unchanged status again after reset', () => {
    const throttle = new StatusThrottle();
    const status = toWatchStatus({ battery: 80 });
    throttle.shouldPublish(status, 0);
    throttle.reset();
    expect(throttle.shouldPublish(status, 1)).toBe(true);
  });
});

describe('toWatchStatus', () => {
  test('keeps the values 0 and false, which differ from unknown values', () => {
    expect(toWatchStatus({ battery: 0, worn: false })).toEqual({
      battery: 0,
      charging: null,
      worn: false,
      signal: null,
      signalMax: null,
      stepTotal: null,
      firmwareVersion: null,
    });
  });
});
