import { describe, expect, test } from '@jest/globals';
import { entityTagOf, isKnown, rangeHolds } from './entity-tag.js';

const tag = entityTagOf('abc');

describe('entity tags', () => {
  test.each([
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    [' * ', true],
    ['"x"', false],
    ['abc', false],
    ['', false],
    [undefined, false],
  ])('If-None-Match: %s', (header, known) => {
    expect(isKnown(header, tag)).toBe(known);
  });

  test.each([
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['Sat, 01 Jan 2028 00:00:00 GMT', false],
  ])('If-Range: %s', (header, holds) => {
    expect(rangeHolds(header, tag)).toBe(holds);
  });
});
