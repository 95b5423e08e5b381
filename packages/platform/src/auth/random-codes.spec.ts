import { expect, test } from '@jest/globals';
import { generateHumanReadableCode, normalizeHumanReadableCode } from './random-codes.js';

test('generateHumanReadableCode returns unique codes without ambiguous letters', () => {
  const codes = Array.from({ length: 1_000 }, () => generateHumanReadableCode(10));
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
  expect(new Set(codes).size).toBe(codes.length);
});

test.each(['7kq2m9xw4r', '7KQ2M 9XW4R', ' 7kq2m-9xw4r\n'])(
  'normalizeHumanReadableCode converts %j to the code as displayed',
  (typed) => {
    expect(normalizeHumanReadableCode(typed)).toBe('7KQ2M9XW4R');
  },
);
