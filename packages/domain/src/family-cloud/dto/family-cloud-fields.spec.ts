import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isValidFileName } from './family-cloud-fields.js';

describe('isValidFileName', () => {
  test.each(['a', '.hidden', '...', 'a b.jpg', '第一天.jpg', '😀', 'a'.repeat(255), '界'.repeat(85)])(
    'returns true for the name %s',
    (name) => {
      expect(isValidFileName(name)).toBe(true);
    },
  );

  test.each([
    '.',
    '..',
    '/',
    'a/b',
    'a\\b',
    'a\tb',
    'a\u0000',
    'a\u007f',
    'photo\u202egpj.exe',
    '界'.repeat(86),
    7,
    null,
  ])('returns false for the name %j', (name) => {
    expect(isValidFileName(name)).toBe(false);
  });

  test('returns true exactly for names of at most 255 bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '界', '😀'), maxLength: 300 }), (name) => {
        expect(isValidFileName(name)).toBe(Buffer.byteLength(name) <= 255);
      }),
    );
  });
});
