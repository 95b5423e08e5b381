import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor } from './page-cursor.js';

const CURSOR_FORMAT = /^(\d{1,15})\.([a-z]+)$/;

test('encodeCursor encodes sort keys as URL-safe text that decodeCursor decodes', () => {
  const cursor = encodeCursor(1_790_000_000_000, 'abc');
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(decodeCursor(cursor, CURSOR_FORMAT)).toEqual(['1790000000000', 'abc']);
});

test.each(['', 'x', encodeCursor('abc', 1), encodeCursor(1, 'abc', 'more')])(
  'decodeCursor rejects the cursor %j with the rule isCursor',
  (cursor) => {
    expect(() => decodeCursor(cursor, CURSOR_FORMAT)).toThrow(
      expect.objectContaining({
        reason: 'VALIDATION_FAILED',
        details: [expect.objectContaining({ field: 'cursor', rule: 'isCursor' })],
      }),
    );
  },
);
