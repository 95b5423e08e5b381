import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatPath, isRootPath, isDescendantPath, parsePath } from './folder-path.js';

const chains = fc.array(fc.uuid(), { maxLength: 6 });

describe('catalog paths', () => {
  test('what is written is read back', () => {
    fc.assert(fc.property(chains, (chain) => expect(parsePath(formatPath(chain))).toEqual(chain)));
  });

  test.each([
    ['root:', []],
    ['root:/', []],
    ['root:/a/b', ['a', 'b']],
    ['root:/a/', ['a']],
    ['root:/..', ['..']],
  ])('%s', (path, chain) => {
    expect(parsePath(path)).toEqual(chain);
  });

  test.each(['', '/', 'root', 'root:a', ' root:', 'Root:', 'root://', 'root:/a//b', 'x/root:'])(
    '%j names nothing',
    (path) => {
      expect(parsePath(path)).toBeUndefined();
    },
  );

  test.each([
    ['', true],
    ['root:', true],
    ['root:/', true],
    ['root:/a', false],
    ['/', false],
  ])('%j is everywhere: %s', (path, expected) => {
    expect(isRootPath(path)).toBe(expected);
  });

  test('all lies under the root and under itself, and a catalog never under what is below it', () => {
    fc.assert(
      fc.property(chains, fc.array(fc.uuid(), { minLength: 1, maxLength: 3 }), (chain, below) => {
        expect(isDescendantPath(chain, [])).toBe(true);
        expect(isDescendantPath(chain, chain)).toBe(true);
        expect(isDescendantPath([...chain, ...below], chain)).toBe(true);
        expect(isDescendantPath(chain, [...chain, ...below])).toBe(false);
      }),
    );
  });
});
