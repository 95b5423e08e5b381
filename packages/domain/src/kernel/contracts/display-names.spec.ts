import { expect, test } from '@jest/globals';
import { readableAvatar } from './display-names.js';

const REFERENCE = 'media/5b1c/77aa';

test.each([
  ['FAMILY', REFERENCE, true],
  ['FAMILY', 'https://example.com/a.jpg', true],
  ['FAMILY', 'http://example.com/a.jpg', true],
  ['CONTACT', REFERENCE, false],
  ['CONTACT', 'https://example.com/a.jpg', true],
  ['CONTACT', 'http://example.com/a.jpg', false],
  ['FAMILY', 'ftp://example.com/a.jpg', false],
  ['FAMILY', 'https://anna:secret@example.com/a.jpg', false],
  [undefined, 'https://example.com/a.jpg', false],
] as const)('a reader of relation %s and %s: %p', (relation, avatar, isReadable) => {
  expect(readableAvatar(avatar, relation)).toBe(isReadable ? avatar : null);
});
