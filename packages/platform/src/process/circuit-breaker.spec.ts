import { describe, expect, it } from '@jest/globals';
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
  it('opens after consecutive failures and allows calls again after the pause', async () => {
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

  it('allows one probe call after the pause and reopens when it fails', async () => {
    const { state, run } = createBreaker();
    for (let time = 0; time < 3; time += 1) await run(false);
    state.now += 1_000;
    expect(await Promise.all([run(false), run(true)])).toEqual(['failed', undefined]);
    expect(await run(true)).toBeUndefined();
    state.now += 1_000;
    expect(await run(true)).toBe('response');
  });

  it('skips calls above the concurrency limit', async () => {
    const { circuit } = createBreaker();
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const running = [circuit.run(() => blocked), circuit.run(() => blocked)];
    expect(await circuit.run(async () => 'more')).toBeUndefined();
    release();
    await Promise.all(running);
    expect(await circuit.run(async () => 'more')).toBe('more');
  });
});
