import { describe, expect, test } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker.js';

const CIRCUIT_OPTIONS = { maxFailures: 3, pauseMs: 1_000, maxConcurrent: 2 };

function createBreaker() {
  const state = { now: 0, calls: 0 };
  const circuit = new CircuitBreaker(CIRCUIT_OPTIONS, () => state.now);
  const run = (succeeds: boolean) =>
    circuit
      .run(async () => {
        state.calls += 1;
        if (!succeeds) throw new Error('unavailable');
        return 'response';
      })
      .catch(() => 'failed');
  return { state, circuit, run };
}

describe('CircuitBreaker', () => {
  test('opens after consecutive failures and allows calls again after the pause', async () => {
    const { state, run } = createBreaker();
    await run(false);
    await run(false);
    await run(true);
    for (let time = 0; time < 3; time += 1) expect(await run(false)).toBe('failed');
    expect(await run(true)).toBeUndefined();
    state.now += 999;
    expect(await run(true)).toBeUndefined();
    expect(state.calls).toBe(6);
    state.now += 1;
    expect(await run(true)).toBe('response');
    expect(await run(true)).toBe('response');
  });

  test('allows one probe call after the pause and reopens when it fails', async () => {
    const { state, run } = createBreaker();
    for (let time = 0; time < 3; time += 1) await run(false);
    state.now += 1_000;
    expect(await Promise.all([run(false), run(true)])).toEqual(['failed', undefined]);
    expect(await run(true)).toBeUndefined();
    state.now += 1_000;
    expect(await run(true)).toBe('response');
  });

  test('skips calls above the concurrency limit', async () => {
    const { circuit } = createBreaker();
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const running = [circuit.run(() => blocked), circuit.run(() => blocked)];
    expect(await circuit.run(async () => 'more')).toBeUndefined();
    release();
    await Promise.all(running);
    expect(await circuit.run(async () => 'more')).toBe('more');
  });

  test('counts the failures of one caller once, and any success as the end of all failures', async () => {
    const { state, circuit } = createBreaker();
    const fail = (caller: string) =>
      circuit.run(() => Promise.reject(new Error('unavailable')), { caller }).catch(() => 'failed');
    for (let time = 0; time < 5; time += 1) expect(await fail('one')).toBe('failed');
    expect(await fail('two')).toBe('failed');
    expect(await circuit.run(async () => 'response')).toBe('response');
    for (const caller of ['one', 'two', 'one']) expect(await fail(caller)).toBe('failed');
    expect(circuit.isAccepting).toBe(true);
    expect(await fail('three')).toBe('failed');
    expect(await fail('four')).toBeUndefined();
    expect([circuit.isAccepting, circuit.openUntil]).toEqual([false, state.now + 1_000]);
  });

  test('runs a forced call although the circuit is open, and closes when the call succeeds', async () => {
    const { circuit, run } = createBreaker();
    for (let time = 0; time < 3; time += 1) await run(false);
    expect(await circuit.run(async () => 'response', { isForced: true })).toBe('response');
    expect(circuit.isAccepting).toBe(true);
  });

  test('doubles the pause with each failed probe up to the maximum, and reports only changes of its state', async () => {
    const changes: boolean[] = [];
    const state = { now: 0 };
    const options = { ...CIRCUIT_OPTIONS, maxPauseMs: 3_000, onChange: (isOpen: boolean) => void changes.push(isOpen) };
    const circuit = new CircuitBreaker(options, () => state.now);
    const fail = () => circuit.run(() => Promise.reject(new Error('unavailable'))).catch(() => 'failed');
    for (let time = 0; time < 3; time += 1) await fail();
    const pauses = [];
    for (let probe = 0; probe < 4; probe += 1) {
      pauses.push(circuit.openUntil - state.now);
      state.now = circuit.openUntil;
      expect(await fail()).toBe('failed');
    }
    expect(pauses).toEqual([1_000, 2_000, 3_000, 3_000]);
    expect(changes).toEqual([true]);
    state.now = circuit.openUntil;
    await circuit.run(async () => 'response');
    expect(changes).toEqual([true, false]);
  });
});
