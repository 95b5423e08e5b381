import { describe, expect, it } from '@jest/globals';
import { normalizeAreaCode } from './phone.js';

describe('normalizeAreaCode', () => {
  it.each([
    ['86', '+86'],
    ['+86', '+86'],
    ['1', '+1'],
  ])('keeps %s as %s', (given, kept) => {
    expect(normalizeAreaCode(given)).toBe(kept);
  });
});
