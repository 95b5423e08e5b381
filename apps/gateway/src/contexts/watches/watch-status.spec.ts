import { describe, expect, test } from '@jest/globals';
import { StatusThrottle, toWatchStatus } from './watch-status.js';

const MINUTE = 60_000;

describe('StatusThrottle', () => {
  test('tells the first status, real changes at once, the rest once a minute', () => {
    const conflation = new StatusThrottle();
    const status = toWatchStatus({ battery: 80, signal: 2, stepTotal: 10 });
    expect(conflation.shouldPublish(status, 0)).toBe(true);
    expect(conflation.shouldPublish({ ...status, signal: 3, stepTotal: 25 }, 1_000)).toBe(false);
    expect(conflation.shouldPublish({ ...status, battery: 79 }, 2_000)).toBe(true);
    expect(conflation.shouldPublish({ ...status, battery: 79 }, 2_000 + MINUTE - 1)).toBe(false);
    expect(conflation.shouldPublish({ ...status, battery: 79, stepTotal: 30 }, 2_000 + MINUTE)).toBe(true);
  });

  test('tells again what did not get through', () => {
    const conflation = new StatusThrottle();
    const status = toWatchStatus({ battery: 80 });
    conflation.shouldPublish(status, 0);
    conflation.reset();
    expect(conflation.shouldPublish(status, 1)).toBe(true);
  });
});

describe('statusOf', () => {
  test('keeps 0 apart from unknown', () => {
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
