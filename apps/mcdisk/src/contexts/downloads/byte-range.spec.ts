import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRange, UNSATISFIABLE } from './byte-range.js';

describe('parseRange', () => {
  test.each([
    ['bytes=0-', 10, { start: 0, end: 9 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=3-900', 10, { start: 3, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['bytes= 1-2 ', 10, { start: 1, end: 2 }],
    ['bytes=10-', 10, UNSATISFIABLE],
    ['bytes=-0', 10, UNSATISFIABLE],
    ['bytes=0-', 0, UNSATISFIABLE],
    ['bytes=-5', 0, UNSATISFIABLE],
    ['bytes=5-4', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=1-2,4-5', 10, undefined],
    ['items=0-1', 10, undefined],
    ['bytes=99999999999999999999-', 10, undefined],
    [undefined, 10, undefined],
  ])('parses the header %s for a content of %i bytes as %j', (header, size, range) => {
    expect(parseRange(header, size)).toEqual(range);
  });

  test('returns only ranges within the content for any header', () => {
    const bound = fc.option(fc.nat(200), { nil: '' });
    fc.assert(
      fc.property(bound, bound, fc.nat(100), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (range === undefined || range === UNSATISFIABLE) return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThanOrEqual(range.end);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });
});
