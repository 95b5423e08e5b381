import { expect, test } from '@jest/globals';
import { medianOf, percentilesOf } from './percentiles.js';

test('percentilesOf returns measured values, by nearest rank', () => {
  const measured = Array.from({ length: 1_000 }, (_, index) => 1_000 - index);
  expect(percentilesOf(measured)).toEqual({ p50: 500, p99: 990, p999: 999, max: 1_000, count: 1_000 });
  expect(percentilesOf([7])).toEqual({ p50: 7, p99: 7, p999: 7, max: 7, count: 1 });
});

test('percentilesOf returns NaN when nothing was measured', () => {
  expect(percentilesOf([])).toEqual({ p50: NaN, p99: NaN, p999: NaN, max: NaN, count: 0 });
});

test('medianOf returns one of the measured values', () => {
  expect(medianOf([3, 1, 2])).toBe(2);
  expect(medianOf([4, 1, 3, 2])).toBe(2);
});
