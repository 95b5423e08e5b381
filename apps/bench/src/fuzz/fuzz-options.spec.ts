import { expect, test } from '@jest/globals';
import { UsageError } from '../options.js';
import { readFuzzOptions } from './fuzz-options.js';

test('readFuzzOptions returns two minutes of both kinds and a random seed by default', () => {
  const options = readFuzzOptions([]);
  expect(options).toEqual({
    seed: expect.any(Number),
    minutes: 2,
    requests: Infinity,
    frames: Infinity,
    validRounds: 2,
  });
});

test('readFuzzOptions ends a run with numbers of iterations by these numbers, and by the time if it is given', () => {
  expect(readFuzzOptions(['--requests', '9', '--seed', '7'])).toMatchObject({ seed: 7, requests: 9, frames: 0 });
  expect(readFuzzOptions(['--frames', '9', '--minutes', '3'])).toMatchObject({ minutes: 3, requests: 0, frames: 9 });
});

test('readFuzzOptions reads a single iteration', () => {
  expect(readFuzzOptions(['--seed', '7', '--only', 'frame:12'])).toMatchObject({ only: { kind: 'frame', index: 12 } });
});

test.each([['--seed', '0'], ['--only', '12'], ['--only', 'other:12'], ['--url', 'http://127.0.0.1:8080'], ['--what']])(
  'readFuzzOptions rejects %s %s',
  (...args) => {
    expect(() => readFuzzOptions(args)).toThrow(UsageError);
  },
);
