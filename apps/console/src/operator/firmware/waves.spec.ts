import { expect, test } from '@jest/globals';
import { parseWaves } from './waves.js';

test('waves are ascending percentages that end with 100', () => {
  expect(parseWaves('1, 10,50 100')).toEqual([1, 10, 50, 100]);
  expect(parseWaves('100')).toEqual([100]);
});

test.each(['', '1, 10', '0, 100', '50, 10, 100', '1, 1, 100', '1, x, 100', '1.5, 100', '1 2 3 4 5 6 7 8 9 10 100'])(
  'other texts are rejected: %s',
  (text) => {
    expect(parseWaves(text)).toBeUndefined();
  },
);
