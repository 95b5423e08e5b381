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
    ['CON', '_CON'],
    ['aux.txt', '_aux.txt'],
    ['console', 'console'],
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['a\u0085b', 'a_b'],
    ['小明 的照片.png', '小明 的照片.png'],
  ])('maps the name %j to %j', (name, segment) => expect(toPathSegment(name)).toBe(segment));

  test('shortens names to the bytes that file systems accept', () => {
    const segment = toPathSegment(`${'照'.repeat(120)}.jpeg`);
    expect(segment).toMatch(/^照+\.jpeg$/);
    expect(Buffer.byteLength(segment)).toBe(215);
  });

  test('shortens long names and keeps the extension', () => {
    const segment = toPathSegment(`${'n'.repeat(300)}.jpeg`);
    expect(segment).toHaveLength(120);
    expect(segment).toMatch(/n\.jpeg$/);
  });
});
