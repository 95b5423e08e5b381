import { describe, expect, test } from '@jest/globals';
import { WakeSignal } from './wake-signal.js';

describe('WakeSignal', () => {
  test('ends a wait immediately when notify was called before the wait', async () => {
    const signal = new WakeSignal();
    signal.notify();
    const start = performance.now();
    await signal.wait(5_000);
    expect(performance.now() - start).toBeLessThan(4_500);
  });

  test('ends a wait when notify is called during the wait', async () => {
    const signal = new WakeSignal();
    const waiting = signal.wait(5_000);
    signal.notify();
    const start = performance.now();
    await waiting;
    expect(performance.now() - start).toBeLessThan(4_500);
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
