import { describe, expect, test } from '@jest/globals';
import { toAsciiDigits } from './ascii-digits.js';

describe('toAsciiDigits', () => {
  test.each([
    ['123 456', '123456'],
    ['\u202d123\u2011456\u202c', '123456'],
    ['１２３–４５６', '123456'],
    ['١٢٣٤٥٦', '123456'],
    ['०१२३४५६७८९', '0123456789'],
    ['12a', '12a'],
  ])('converts %p to %s', (text, digits) => {
    expect(toAsciiDigits(text)).toBe(digits);
  });
});
