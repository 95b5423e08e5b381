import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatePreconditions } from './precondition.js';

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
