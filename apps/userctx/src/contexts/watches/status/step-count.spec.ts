import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stepsBetween } from './step-count.js';

describe('stepsBetween', () => {
  it('counts from the reading before', () => {
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, 0)).toBe(250);
  });

  it('starts at zero again after a reset', () => {
    expect(stepsBetween({ total: 5_000, time: 10 }, { total: 40, time: 20 }, 0)).toBe(40);
  });

  it('counts nothing without a reading of this binding, nor backwards in time', () => {
    expect(stepsBetween(null, { total: 350, time: 20 }, 0)).toBe(0);
    expect(stepsBetween({ total: 100, time: 10 }, { total: 350, time: 20 }, 15)).toBe(0);
    expect(stepsBetween({ total: 100, time: 20 }, { total: 350, time: 20 }, 0)).toBe(0);
    expect(stepsBetween({ total: 100, time: 30 }, { total: 350, time: 20 }, 0)).toBe(0);
  });

  it('adds up to what was walked, wherever the counter was reset', () => {
    const walk = fc.array(fc.record({ steps: fc.nat(10_000), reset: fc.boolean() }), { maxLength: 50 });
    fc.assert(
      fc.property(walk, fc.nat(1_000_000), (parts, start) => {
        let reading = { total: start, time: 1 };
        let [counted, walked] = [0, 0];
        for (const { steps, reset } of parts) {
          // A reset shows only when the counter falls below what it was.
          const falls = reset && steps < reading.total;
          const next = { total: falls ? steps : reading.total + steps, time: reading.time + 1 };
          counted += stepsBetween(reading, next, 0);
          walked += steps;
          reading = next;
        }
        expect(counted).toBe(walked);
      }),
    );
  });
});
