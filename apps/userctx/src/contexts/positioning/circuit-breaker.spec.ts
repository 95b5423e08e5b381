import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker.js';

const OPTIONS = { failures: 3, pause: 1_000, maxRunning: 2 };

function breaker() {
  const world = { now: 0, tried: 0 };
  const circuit = new CircuitBreaker(OPTIONS, () => world.now);
  const run = (works: boolean) =>
    circuit
      .run(async () => {
        world.tried += 1;
        if (!works) throw new Error('away');
        return 'answer';
      })
      .catch(() => 'failed');
  return { world, circuit, run };
}

describe('a circuit', () => {
  it('is tried no more after failures in a row, until a pause is over', async () => {
    const { world, run } = breaker();
    await run(false);
    await run(false);
    await run(true);
    for (let time = 0; time < 3; time += 1) expect(await run(false)).toBe('failed');
    expect(await run(true)).toBeUndefined();
    world.now += 999;
    expect(await run(true)).toBeUndefined();
    expect(world.tried).toBe(6);
    world.now += 1;
    expect(await run(true)).toBe('answer');
    expect(await run(true)).toBe('answer');
  });

  it('is tried by one alone after the pause, and rests again when that fails', async () => {
    const { world, run } = breaker();
    for (let time = 0; time < 3; time += 1) await run(false);
    world.now += 1_000;
    expect(await Promise.all([run(false), run(true)])).toEqual(['failed', undefined]);
    expect(await run(true)).toBeUndefined();
    world.now += 1_000;
    expect(await run(true)).toBe('answer');
  });

  it('carries no more at once than it may', async () => {
    const { circuit } = breaker();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const running = [circuit.run(() => held), circuit.run(() => held)];
    expect(await circuit.run(async () => 'more')).toBeUndefined();
    release();
    await Promise.all(running);
    expect(await circuit.run(async () => 'more')).toBe('more');
  });
});
