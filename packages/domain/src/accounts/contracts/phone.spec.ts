import { describe, expect, it } from '@jest/globals';
import { normaliseAreaCode } from './phone.js';

describe('normaliseAreaCode', () => {
  it.each([
    ['86', '+86'],
    ['+86', '+86'],
    ['1', '+1'],
  ])('keeps %s as %s', (given, kept) => {
    expect(normaliseAreaCode(given)).toBe(kept);
  });
});
