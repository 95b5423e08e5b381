import { describe, expect, test } from '@jest/globals';
import { toPathSegment } from './archive-writer.js';

describe('toPathSegment', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['../../etc/passwd', '__.._etc_passwd'],
    ['..', '_'],
    ['.hidden', '_hidden'],
    ['C:\\boot.ini', 'C__boot.ini'],
    ['a\u0000b\nc', 'a_b_c'],
    ['name. ', 'name_'],
    ['', '_'],
    ['小明 的照片.png', '小明 的照片.png'],
  ])('maps the name %j to %j', (name, segment) => expect(toPathSegment(name)).toBe(segment));

  test('shortens long names and keeps the extension', () => {
    const segment = toPathSegment(`${'n'.repeat(300)}.jpeg`);
    expect(segment).toHaveLength(120);
    expect(segment).toMatch(/n\.jpeg$/);
  });
});
