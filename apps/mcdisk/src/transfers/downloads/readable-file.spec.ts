import { expect, test, describe } from '@jest/globals';
import fc from 'fast-check';
import { servedType, contentDisposition } from './readable-file.js';

test.each(['image/jpeg', 'image/heic', 'audio/mpeg', 'video/mp4', 'application/pdf'])(
  'servedType(%s) returns the same type',
  (type) => {
    expect(servedType(type)).toBe(type);
  },
);

test.each([
  'text/html',
  'image/svg+xml',
  'application/xml',
  'text/plain',
  'application/javascript',
  'video/x\r\ny',
  '',
])('servedType(%j) returns application/octet-stream', (type) => {
  expect(servedType(type)).toBe('application/octet-stream');
});

describe('contentDisposition', () => {
  test.each([
    ['photo.jpg', `attachment; filename="photo.jpg"; filename*=UTF-8''photo.jpg`],
    ['a"b\\c%.txt', `attachment; filename="a_b_c_.txt"; filename*=UTF-8''a%22b%5Cc%25.txt`],
    [`it's (1)*!`, `attachment; filename="it's (1)*!"; filename*=UTF-8''it%27s%20%281%29%2A!`],
    ['第一天😀', `attachment; filename="____"; filename*=UTF-8''%E7%AC%AC%E4%B8%80%E5%A4%A9%F0%9F%98%80`],
  ])('encodes the file name %s', (name, header) => {
    expect(contentDisposition(name)).toBe(header);
  });

  test('returns for any file name a single header value that decodes to this name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const header = contentDisposition(name);
        const [, plain, encoded] =
          /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([\w%.~!#$&+^`|-]*)$/.exec(header)!;
        expect(plain).not.toMatch(/["\\]/);
        expect(decodeURIComponent(encoded!)).toBe(name);
      }),
    );
  });
});
