import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatPath, isRootPath, isDescendantPath, parsePath } from './folder-path.js';

const paths = fc.array(fc.uuid(), { maxLength: 6 });

describe('folder paths', () => {
  test('parsePath returns the ids that were passed to formatPath', () => {
    fc.assert(fc.property(paths, (pathIds) => expect(parsePath(formatPath(pathIds))).toEqual(pathIds)));
  });

  test.each([
    ['root:', []],
    ['root:/', []],
    ['root:/a/b', ['a', 'b']],
    ['root:/a/', ['a']],
    ['root:/..', ['..']],
  ])('parsePath(%j) returns %j', (path, pathIds) => {
    expect(parsePath(path)).toEqual(pathIds);
  });

  test.each(['', '/', 'root', 'root:a', ' root:', 'Root:', 'root://', 'root:/a//b', 'x/root:'])(
    'parsePath returns undefined for the invalid path %j',
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
  ])('isRootPath(%j) returns %s', (path, expected) => {
    expect(isRootPath(path)).toBe(expected);
  });

  test('a folder is a descendant of the root and itself, and never of its own descendants', () => {
    fc.assert(
      fc.property(paths, fc.array(fc.uuid(), { minLength: 1, maxLength: 3 }), (pathIds, descendants) => {
        expect(isDescendantPath(pathIds, [])).toBe(true);
        expect(isDescendantPath(pathIds, pathIds)).toBe(true);
        expect(isDescendantPath([...pathIds, ...descendants], pathIds)).toBe(true);
        expect(isDescendantPath(pathIds, [...pathIds, ...descendants])).toBe(false);
      }),
    );
  });
});
