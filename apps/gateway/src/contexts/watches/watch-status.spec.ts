import { describe, expect, test } from '@jest/globals';
import { StatusConflation, statusOf } from './watch-status.js';

const MINUTE = 60_000;

describe('StatusConflation', () => {
  test('tells the first status, real changes at once, the rest once a minute', () => {
    const conflation = new StatusConflation();
    const status = statusOf({ battery: 80, signal: 2, stepTotal: 10 });
    expect(conflation.take(status, 0)).toBe(true);
    expect(conflation.take({ ...status, signal: 3, stepTotal: 25 }, 1_000)).toBe(false);
    expect(conflation.take({ ...status, battery: 79 }, 2_000)).toBe(true);
    expect(conflation.take({ ...status, battery: 79 }, 2_000 + MINUTE - 1)).toBe(false);
    expect(conflation.take({ ...status, battery: 79, stepTotal: 30 }, 2_000 + MINUTE)).toBe(true);
  });

  test('tells again what did not get through', () => {
    const conflation = new StatusConflation();
    const status = statusOf({ battery: 80 });
    conflation.take(status, 0);
    conflation.forget();
    expect(conflation.take(status, 1)).toBe(true);
  });
});

describe('statusOf', () => {
  test('keeps 0 apart from unknown', () => {
    expect(statusOf({ battery: 0, worn: false })).toEqual({
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
