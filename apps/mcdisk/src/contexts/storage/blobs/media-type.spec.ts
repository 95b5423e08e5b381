import { expect, test } from '@jest/globals';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { detectMediaType } from './media-type.js';

const { IMAGE, AUDIO, VIDEO, DOCUMENT, OTHER } = CONTENT_TYPE;
const asciiBytes = (text: string) => Buffer.from(text, 'latin1');
/** Builds the first box of a file in an ISO 14496-12 format, the only part of the file that detection uses. */
const fileTypeBox = (brand: string) =>
  Buffer.concat([Buffer.from('00000018', 'hex'), asciiBytes(`ftyp${brand}\0\0\0\0mif1`), Buffer.alloc(40)]);
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');

test.each([
  ['JPEG', Buffer.from('ffd8ffe000104a46494600', 'hex'), 'image/jpeg', IMAGE],
  ['GIF', asciiBytes('GIF89a'), 'image/gif', IMAGE],
  [
    'MP3 with tags',
    Buffer.concat([asciiBytes('ID3\x03\x00\x00\x00\x00\x00\x00'), Buffer.from('fffb9064', 'hex')]),
    'audio/mpeg',
    AUDIO,
  ],
  ['MP4', Buffer.concat([Buffer.from('0000001c', 'hex'), asciiBytes('ftypisom')]), 'video/mp4', VIDEO],
  ['HEIC', fileTypeBox('heic'), 'image/heic', IMAGE],
  ['HEIF', fileTypeBox('mif1'), 'image/heif', IMAGE],
  ['HEIF sequence', fileTypeBox('msf1'), 'image/heif-sequence', IMAGE],
  ['AVIF', fileTypeBox('avif'), 'image/avif', IMAGE],
  ['WebP', asciiBytes('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0'), 'image/webp', IMAGE],
  ['QuickTime', fileTypeBox('qt  '), 'video/quicktime', VIDEO],
  ['3GP', fileTypeBox('3gp4'), 'video/3gpp', VIDEO],
  ['M4A audio of an iPhone', fileTypeBox('M4A '), 'audio/x-m4a', AUDIO],
  ['AMR', asciiBytes('#!AMR\n\x3c\x91\x17'), 'audio/amr', AUDIO],
  ['HTML', asciiBytes('<html><body onload=alert(1)>'), 'text/plain', DOCUMENT],
  ['JPEG that contains a script', Buffer.concat([JPEG, asciiBytes('<script>alert(1)</script>')]), 'image/jpeg', IMAGE],
  ['JPEG followed by a ZIP archive', Buffer.concat([JPEG, asciiBytes('PK\x03\x04')]), 'image/jpeg', IMAGE],
  ['GIF that is also valid JavaScript', asciiBytes('GIF89a=1/*........*/;alert(1)'), 'image/gif', IMAGE],
  ['PDF that contains a JPEG', Buffer.concat([asciiBytes('%PDF-1.7\n'), JPEG]), 'application/pdf', DOCUMENT],
  ['SVG as text', asciiBytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain', DOCUMENT],
  ['PDF', asciiBytes('%PDF-1.7\n'), 'application/pdf', DOCUMENT],
  ['text', Buffer.from('Liebe Oma,\n你好'), 'text/plain', DOCUMENT],
  ['text truncated within a character', Buffer.from('你好').subarray(0, 5), 'text/plain', DOCUMENT],
  ['empty file as text', new Uint8Array(), 'text/plain', DOCUMENT],
  ['unknown binary data', Buffer.from([0, 1, 2, 255]), 'application/octet-stream', OTHER],
  ['ELF program', Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(60)]), 'application/x-elf', OTHER],
  ['truncated PNG', Buffer.from('89504e470d0a1a0a', 'hex'), 'application/octet-stream', OTHER],
])('detectMediaType determines the type of the first bytes: %s', async (_, head, mediaType, contentType) => {
  expect(await detectMediaType(head)).toEqual({ mediaType, contentType });
});
