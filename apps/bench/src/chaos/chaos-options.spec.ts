import { expect, test } from '@jest/globals';
import { UsageError } from '../options.js';
import { readChaosOptions } from './chaos-options.js';

test('readChaosOptions returns two minutes, four families and a random seed by default', () => {
  const { seed, ...others } = readChaosOptions([]) as { seed: number };
  expect(others).toEqual({ minutes: 2, families: 4 });
  expect(Number.isSafeInteger(seed) && seed > 0).toBe(true);
});

test('readChaosOptions parses all options', () => {
  const args = ['--minutes', '20', '--seed', '7', '--families', '3', '--history', 'run.jsonl'];
  expect(readChaosOptions(args)).toEqual({ minutes: 20, seed: 7, families: 3, history: 'run.jsonl' });
  expect(readChaosOptions(['--help'])).toBe('help');
});

test.each([['--minutes', '0'], ['--seed', 'x'], ['--unknown'], ['extra']])(
  'readChaosOptions rejects the arguments %s %s',
  (...args) => {
    expect(() => readChaosOptions(args)).toThrow(UsageError);
  },
);
