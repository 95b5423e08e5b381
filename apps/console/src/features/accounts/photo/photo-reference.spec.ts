import { expect, test } from '@jest/globals';
import { photoFileOf, photoReferenceOf } from './photo-reference.js';

test('a reference names the picture', () => {
  const file = { cloudID: 'a-1', contentID: 'b-2' };
  expect(photoReferenceOf(file)).toBe('media/a-1/b-2');
  expect(photoFileOf(photoReferenceOf(file))).toEqual(file);
});

test('the service does not take a reference for a URL', () => {
  expect(URL.canParse(photoReferenceOf({ cloudID: 'a-1', contentID: 'b-2' }))).toBe(false);
});

test.each([null, undefined, '', 'media/5b1c', 'https://example.com/mia.jpg', 'media/a/b/c'])(
  '%p is no picture in a family cloud',
  (avatar) => {
    expect(photoFileOf(avatar)).toBeUndefined();
  },
);
