import { describe, expect, test } from '@jest/globals';
import { normalizeAreaCode } from './account.js';

describe('normalizeAreaCode', () => {
  test.each([
    ['86', '+86'],
    ['+86', '+86'],
    ['1', '+1'],
    ['0086', '+86'],
    ['+0086', '+86'],
    ['+1 (684)', '+1684'],
    ['+00', '+00'],
    ['CN', 'CN'],
    ['+', '+'],
    [' x ', ' x '],
  ])('converts %s to the stored form %s', (areaCode, storedAreaCode) => {
    expect(normalizeAreaCode(areaCode)).toBe(storedAreaCode);
  });
});
