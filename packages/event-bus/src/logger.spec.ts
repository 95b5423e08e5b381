import { expect, test } from '@jest/globals';
import { errorText } from './logger.js';

test('errorText returns well-formed text of at most 2,000 characters without NUL', () => {
  expect(errorText(new Error('a\u0000b\ud800c'))).toBe('Error: ab\ufffdc');
  expect(errorText('x'.repeat(5_000))).toHaveLength(2_000);
  expect(errorText(`${'x'.repeat(1_999)}😀`).isWellFormed()).toBe(true);
});
