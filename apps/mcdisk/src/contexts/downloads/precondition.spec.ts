import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatePreconditions } from './precondition.js';

const MODIFIED = Date.parse('2028-01-01T12:00:00.500Z');
const representation = { tag: '"abc"', size: 10, modifiedAt: MODIFIED };
const AT_MODIFICATION = 'Sat, 01 Jan 2028 12:00:00 GMT';
const BEFORE = 'Sat, 01 Jan 2028 11:59:59 GMT';
const AFTER = 'Sat, 01 Jan 2028 12:00:01 GMT';

const whole = { kind: 'bytes', range: undefined };
const part = { kind: 'bytes', range: { start: 2, end: 5 } };
const failed = { kind: 'failed' };
const unmodified = { kind: 'unmodified' };
const unsatisfiable = { kind: 'unsatisfiable' };

describe('evaluatePreconditions', () => {
  test.each([
    [{}, whole],
    [{ range: 'bytes=2-5' }, part],
    [{ range: 'bytes=10-' }, unsatisfiable],
    [{ range: 'bytes=2-5,7-8' }, whole],
    [{ range: ['bytes=2-5', 'bytes=7-8'] }, whole],

    [{ 'if-match': '"abc"' }, whole],
    [{ 'if-match': '*', range: 'bytes=2-5' }, part],
    [{ 'if-match': 'W/"abc"' }, failed],
    [{ 'if-match': '"x"', range: 'bytes=10-' }, failed],
    [{ 'if-match': ['"x"', '"abc"'] }, whole],
    [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, whole],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, failed],

    [{ 'if-unmodified-since': AT_MODIFICATION }, whole],
    [{ 'if-unmodified-since': AFTER }, whole],
    [{ 'if-unmodified-since': BEFORE }, failed],
    [{ 'if-unmodified-since': 'nonsense' }, whole],

    [{ 'if-none-match': '"abc"' }, unmodified],
    [{ 'if-none-match': 'W/"abc"', range: 'bytes=2-5' }, unmodified],
    [{ 'if-none-match': '*' }, unmodified],
    [{ 'if-none-match': '"x"', 'if-modified-since': AFTER }, whole],

    [{ 'if-modified-since': AT_MODIFICATION }, unmodified],
    [{ 'if-modified-since': AFTER, range: 'bytes=10-' }, unmodified],
    [{ 'if-modified-since': BEFORE }, whole],
    [{ 'if-modified-since': 'nonsense' }, whole],

    [{ 'if-range': '"abc"', range: 'bytes=2-5' }, part],
    [{ 'if-range': 'W/"abc"', range: 'bytes=2-5' }, whole],
    [{ 'if-range': '"x"', range: 'bytes=2-5' }, whole],
    [{ 'if-range': '"x"', range: 'bytes=10-' }, whole],
    [{ 'if-range': '"abc"', range: 'bytes=10-' }, unsatisfiable],
    [{ 'if-range': AT_MODIFICATION, range: 'bytes=2-5' }, part],
    [{ 'if-range': BEFORE, range: 'bytes=2-5' }, whole],
    [{ 'if-range': AFTER, range: 'bytes=2-5' }, whole],
  ])('returns for the headers %j the result %j', (headers, result) => {
    expect(evaluatePreconditions(headers, representation)).toEqual(result);
  });

  test('never throws and returns only ranges within the content for any headers', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('"abc"', '*', AT_MODIFICATION, BEFORE, AFTER, 'bytes=0-', 'bytes=-1'),
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
