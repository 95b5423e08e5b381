import { describe, expect, test } from '@jest/globals';
import { entityTagOf, matchesIfNoneMatch, matchesIfMatch, matchesIfRange } from './entity-tag.js';

const tag = entityTagOf('abc');
const MODIFIED = Date.parse('2028-01-01T00:00:00.750Z');

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
    expect(matchesIfRange(header, tag, MODIFIED)).toBe(matches);
  });
});
