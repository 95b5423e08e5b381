import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  evaluatePreconditions,
  entityTagOf,
  matchesIfNoneMatch,
  matchesIfMatch,
  matchesIfRange,
  parseRange,
  UNSATISFIABLE,
  formatHttpDate,
  parseHttpDate,
} from './conditional-request.js';

const MODIFIED = Date.parse('2028-01-01T12:00:00.500Z');
const representation = { tag: '"abc"', size: 10, modifiedAt: MODIFIED };
const AT_MODIFICATION = 'Sat, 01 Jan 2028 12:00:00 GMT';
const BEFORE_MODIFICATION = 'Sat, 01 Jan 2028 11:59:59 GMT';
const AFTER_MODIFICATION = 'Sat, 01 Jan 2028 12:00:01 GMT';

const allBytesResult = { kind: 'bytes', range: undefined };
const rangeResult = { kind: 'bytes', range: { start: 2, end: 5 } };
const failedResult = { kind: 'failed' };
const unmodifiedResult = { kind: 'unmodified' };
const unsatisfiableResult = { kind: 'unsatisfiable' };

describe('evaluatePreconditions', () => {
  test.each([
    [{}, allBytesResult],
    [{ range: 'bytes=2-5' }, rangeResult],
    [{ range: 'bytes=10-' }, unsatisfiableResult],
    [{ range: 'bytes=2-5,7-8' }, allBytesResult],
    [{ range: ['bytes=2-5', 'bytes=7-8'] }, allBytesResult],

    [{ 'if-match': '"abc"' }, allBytesResult],
    [{ 'if-match': '*', range: 'bytes=2-5' }, rangeResult],
    [{ 'if-match': 'W/"abc"' }, failedResult],
    [{ 'if-match': '"x"', range: 'bytes=10-' }, failedResult],
    [{ 'if-match': ['"x"', '"abc"'] }, allBytesResult],
    [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE_MODIFICATION }, allBytesResult],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, failedResult],

    [{ 'if-unmodified-since': AT_MODIFICATION }, allBytesResult],
    [{ 'if-unmodified-since': AFTER_MODIFICATION }, allBytesResult],
    [{ 'if-unmodified-since': BEFORE_MODIFICATION }, failedResult],
    [{ 'if-unmodified-since': 'nonsense' }, allBytesResult],

    [{ 'if-none-match': '"abc"' }, unmodifiedResult],
    [{ 'if-none-match': 'W/"abc"', range: 'bytes=2-5' }, unmodifiedResult],
    [{ 'if-none-match': '*' }, unmodifiedResult],
    [{ 'if-none-match': '"x"', 'if-modified-since': AFTER_MODIFICATION }, allBytesResult],

    [{ 'if-modified-since': AT_MODIFICATION }, unmodifiedResult],
    [{ 'if-modified-since': AFTER_MODIFICATION, range: 'bytes=10-' }, unmodifiedResult],
    [{ 'if-modified-since': BEFORE_MODIFICATION }, allBytesResult],
    [{ 'if-modified-since': 'nonsense' }, allBytesResult],

    [{ 'if-range': '"abc"', range: 'bytes=2-5' }, rangeResult],
    [{ 'if-range': 'W/"abc"', range: 'bytes=2-5' }, allBytesResult],
    [{ 'if-range': '"x"', range: 'bytes=2-5' }, allBytesResult],
    [{ 'if-range': '"x"', range: 'bytes=10-' }, allBytesResult],
    [{ 'if-range': '"abc"', range: 'bytes=10-' }, unsatisfiableResult],
    [{ 'if-range': AT_MODIFICATION, range: 'bytes=2-5' }, rangeResult],
    [{ 'if-range': BEFORE_MODIFICATION, range: 'bytes=2-5' }, allBytesResult],
    [{ 'if-range': AFTER_MODIFICATION, range: 'bytes=2-5' }, allBytesResult],
  ])('returns for the headers %j the result %j', (headers, result) => {
    expect(evaluatePreconditions(headers, representation)).toEqual(result);
  });

  test('never throws and returns only ranges within the content for any headers', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('"abc"', '*', AT_MODIFICATION, BEFORE_MODIFICATION, AFTER_MODIFICATION, 'bytes=0-', 'bytes=-1'),
    );
    const header = fc.oneof(text, fc.array(text));
    const names = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), header), (headers) => {
        const result = evaluatePreconditions(headers, representation);
        if (result.kind !== 'bytes' || !result.range) return;
        expect(result.range.start).toBeGreaterThanOrEqual(0);
        expect(result.range.end).toBeLessThan(representation.size);
      }),
    );
  });
});

const tag = entityTagOf('abc');
const TAG_MODIFIED = Date.parse('2028-01-01T00:00:00.750Z');

describe('entity tags', () => {
  test.each([
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    [' * ', true],
    ['"x"', false],
    ['abc', false],
    ['', false],
  ])('for the header If-None-Match: %s matchesIfNoneMatch returns %s', (header, matches) => {
    expect(matchesIfNoneMatch(header, tag)).toBe(matches);
  });

  test.each([
    ['"abc"', true],
    ['"x","abc"', true],
    ['*', true],
    ['W/"abc"', false],
    ['"x"', false],
    ['', false],
  ])('for the header If-Match: %s matchesIfMatch returns %s', (header, matches) => {
    expect(matchesIfMatch(header, tag)).toBe(matches);
  });

  test.each([
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    ['Sat, 01 Jan 2028 00:00:00 GMT', true],
    ['Sat, 01 Jan 2028 00:00:01 GMT', false],
    ['Fri, 31 Dec 2027 23:59:59 GMT', false],
    ['2028-01-01T00:00:00Z', false],
  ])('for the header If-Range: %s matchesIfRange returns %s', (header, matches) => {
    expect(matchesIfRange(header, tag, TAG_MODIFIED)).toBe(matches);
  });
});

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
