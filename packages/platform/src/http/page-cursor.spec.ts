import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor } from './page-cursor.js';

const FORM = /^(\d{1,15})\.([a-z]+)$/;

test('a cursor comes back as the keys it was made of, and is safe in an address', () => {
  const cursor = encodeCursor(1_790_000_000_000, 'abc');
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(decodeCursor(cursor, FORM)).toEqual(['1790000000000', 'abc']);
});

test.each(['', 'x', encodeCursor('abc', 1), encodeCursor(1, 'abc', 'more')])('%j is refused by its name', (cursor) => {
  expect(() => decodeCursor(cursor, FORM)).toThrow(
    expect.objectContaining({
      reason: 'VALIDATION_FAILED',
      details: [expect.objectContaining({ field: 'cursor', rule: 'isCursor' })],
    }),
  );
});
