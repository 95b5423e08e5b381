import { expect, test } from '@jest/globals';
import { mayKeepMetadata, planRendition } from './rendition-plan.js';

const MEBIBYTE = 1024 * 1024;

test.each([
  ['image/jpeg', 'PICTURE', 'PICTURE'],
  ['image/heic', 'PICTURE', 'PICTURE'],
  ['image/heif-sequence', 'PICTURE', 'PICTURE'],
  ['image/bmp', 'NEVER', 'ORIGINAL'],
  // It holds whole PNG files, with all that they can say.
  ['image/x-icon', 'NEVER', 'NEVER'],
  ['image/x-canon-cr2', 'NEVER', 'NEVER'],
  ['video/mp4', 'POSTER', 'ANONYMOUS_FILM'],
  ['video/3gpp', 'POSTER', 'ANONYMOUS_FILM'],
  ['video/webm', 'POSTER', 'NEVER'],
  ['audio/x-m4a', 'NEVER', 'ANONYMOUS_FILM'],
  ['audio/amr', 'NEVER', 'ORIGINAL'],
  ['application/pdf', 'NEVER', 'ORIGINAL'],
  ['application/octet-stream', 'NEVER', 'ORIGINAL'],
])('%s: %s as a thumbnail, %s when it is shared', (mediaType, thumbnail, shared) => {
  expect(planRendition(mediaType, MEBIBYTE, 'THUMBNAIL')).toBe(thumbnail);
  expect(planRendition(mediaType, MEBIBYTE, 'SHARED')).toBe(shared);
});

test('a picture that is too large is not shared as it is', () => {
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
  ['audio/mpeg', true],
  ['audio/ogg', true],
  ['audio/wav', true],
  ['text/plain', false],
  ['application/pdf', true],
  ['application/octet-stream', true],
])('%s keeps its metadata when it is shared: %s', (mediaType, keeps) => {
  expect(mayKeepMetadata(mediaType)).toBe(keeps);
});
