import { describe, expect, test } from '@jest/globals';
import { WakeSignal } from './wake-signal.js';

/** Longer than the time limit of a test, so that a wait that does not end fails the test. */
const HOUR_MS = 3_600_000;

describe('WakeSignal', () => {
  test('ends a wait immediately when notify was called before the wait', async () => {
    const signal = new WakeSignal();
    signal.notify();
    await signal.wait(HOUR_MS);
  });

  test('ends a wait when notify is called during the wait', async () => {
    const signal = new WakeSignal();
    const waiting = signal.wait(HOUR_MS);
    signal.notify();
    await waiting;
  });

  test('ends only one wait per call of notify', async () => {
    const signal = new WakeSignal();
    signal.notify();
    await signal.wait(5_000);
    const start = performance.now();
    await signal.wait(30);
    expect(performance.now() - start).toBeGreaterThanOrEqual(25);
  });
});
