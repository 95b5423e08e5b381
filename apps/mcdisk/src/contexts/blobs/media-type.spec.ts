import { expect, test } from '@jest/globals';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { mediaTypeOf } from './media-type.js';

const { IMAGE, AUDIO, VIDEO, DOCUMENT, OTHER } = CONTENT_TYPE;
const ascii = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['JPEG', Buffer.from('ffd8ffe000104a46494600', 'hex'), 'image/jpeg', IMAGE],
  ['GIF', ascii('GIF89a'), 'image/gif', IMAGE],
  [
    'MP3 with tags',
    Buffer.concat([ascii('ID3\x03\x00\x00\x00\x00\x00\x00'), Buffer.from('fffb9064', 'hex')]),
    'audio/mpeg',
    AUDIO,
  ],
  ['MP4', Buffer.concat([Buffer.from('0000001c', 'hex'), ascii('ftypisom')]), 'video/mp4', VIDEO],
  ['PDF', ascii('%PDF-1.7\n'), 'application/pdf', DOCUMENT],
  ['text', Buffer.from('Liebe Oma,\n你好'), 'text/plain', DOCUMENT],
  ['text cut in a character', Buffer.from('你好').subarray(0, 5), 'text/plain', DOCUMENT],
  ['nothing', new Uint8Array(), 'text/plain', DOCUMENT],
  ['noise', Buffer.from([0, 1, 2, 255]), 'application/octet-stream', OTHER],
  ['a program', Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(60)]), 'application/x-elf', OTHER],
  ['a half PNG', Buffer.from('89504e470d0a1a0a', 'hex'), 'application/octet-stream', OTHER],
])('%s', async (_, head, mediaType, contentType) => {
  expect(await mediaTypeOf(head)).toEqual({ mediaType, contentType });
});
