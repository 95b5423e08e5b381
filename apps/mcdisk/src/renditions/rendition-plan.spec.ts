import { expect, test } from '@jest/globals';
import { mayKeepMetadata, planRendition } from './rendition-plan.js';

const MEBIBYTE = 1024 * 1024;

test.each([
  ['image/jpeg', 'PICTURE', 'PICTURE'],
  ['image/heic', 'PICTURE', 'PICTURE'],
  ['image/heif-sequence', 'PICTURE', 'PICTURE'],
  ['image/bmp', 'NEVER', 'ORIGINAL'],
  // Icons contain whole PNG files with all their metadata.
  ['image/x-icon', 'NEVER', 'NEVER'],
  ['image/x-canon-cr2', 'NEVER', 'NEVER'],
  ['video/mp4', 'POSTER', 'STRIPPED_VIDEO'],
  ['video/3gpp', 'POSTER', 'STRIPPED_VIDEO'],
  ['video/webm', 'POSTER', 'NEVER'],
  ['audio/x-m4a', 'NEVER', 'STRIPPED_VIDEO'],
  ['audio/3gpp', 'NEVER', 'STRIPPED_VIDEO'],
  ['audio/amr', 'NEVER', 'ORIGINAL'],
  ['audio/silk', 'NEVER', 'ORIGINAL'],
  ['audio/webm', 'NEVER', 'ORIGINAL'],
  ['application/pdf', 'NEVER', 'ORIGINAL'],
  ['application/octet-stream', 'NEVER', 'ORIGINAL'],
])('planRendition of %s returns %s for a thumbnail and %s for sharing', (mediaType, thumbnail, shared) => {
  expect(planRendition(mediaType, MEBIBYTE, 'THUMBNAIL')).toBe(thumbnail);
  expect(planRendition(mediaType, MEBIBYTE, 'SHARED')).toBe(shared);
});

test('planRendition returns NEVER for a picture of more than 64 MiB', () => {
  expect(planRendition('image/jpeg', 64 * MEBIBYTE, 'SHARED')).toBe('PICTURE');
  expect(planRendition('image/jpeg', 64 * MEBIBYTE + 1, 'THUMBNAIL')).toBe('NEVER');
  expect(planRendition('image/jpeg', 64 * MEBIBYTE + 1, 'SHARED')).toBe('NEVER');
});

test.each([
  ['image/jpeg', false],
  ['image/bmp', false],
  ['image/x-canon-cr2', false],
  ['video/mp4', false],
  ['video/webm', false],
  ['audio/x-m4a', false],
  ['audio/amr', false],
  ['audio/silk', false],
  ['audio/mpeg', true],
  ['audio/ogg', true],
  ['audio/wav', true],
  ['text/plain', false],
  ['application/pdf', true],
  ['application/octet-stream', true],
])('mayKeepMetadata of %s returns %s', (mediaType, expected) => {
  expect(mayKeepMetadata(mediaType)).toBe(expected);
});
