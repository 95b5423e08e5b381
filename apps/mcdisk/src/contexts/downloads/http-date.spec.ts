import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatHttpDate, parseHttpDate } from './http-date.js';

const SAMPLE_TIME = Date.parse('1994-11-06T08:49:37Z');

describe('HTTP dates', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', SAMPLE_TIME],
    [' Sun, 06 Nov 1994 08:49:37 GMT ', SAMPLE_TIME],
    ['Sunday, 06-Nov-94 08:49:37 GMT', SAMPLE_TIME],
    ['Sun Nov  6 08:49:37 1994', SAMPLE_TIME],
    ['1994-11-06T08:49:37Z', undefined],
    ['Sun, 06 Nov 1994 08:49:37 +0100', undefined],
    ['Sun, 06 Nov 1994 08:49:77 GMT', undefined],
    ['784111777000', undefined],
    ['yesterday', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('parseHttpDate(%j) returns %s', (text, time) => {
    expect(parseHttpDate(text)).toBe(time);
  });

  test('parseHttpDate returns the time that was passed to formatHttpDate, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (time) => {
        expect(parseHttpDate(formatHttpDate(time))).toBe(time - (time % 1_000));
      }),
    );
  });
});
