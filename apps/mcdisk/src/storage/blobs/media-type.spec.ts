import { expect, test } from '@jest/globals';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import { SIGNATURE_BYTES } from './blob-store.js';
import { detectMediaType } from './media-type.js';

const { IMAGE, AUDIO, VIDEO, DOCUMENT, OTHER } = CONTENT_TYPE;
const asciiBytes = (text: string) => Buffer.from(text, 'latin1');
/** Builds the first box of a file in an ISO 14496-12 format, which determines its type if it has no tracks. */
const fileTypeBox = (brand: string) =>
  Buffer.concat([Buffer.from('00000018', 'hex'), asciiBytes(`ftyp${brand}\0\0\0\0mif1`), Buffer.alloc(40)]);
/** Builds a box of ISO 14496-12. */
const box = (type: string, ...body: Buffer[]) => {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + Buffer.concat(body).length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...body]);
};
const track = (handler: string) =>
  box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', box('hdlr', Buffer.alloc(8), asciiBytes(handler))));
const isoFile = (brand: string, media: Buffer, ...handlers: string[]) =>
  Buffer.concat([
    fileTypeBox(brand).subarray(0, 24),
    media,
    box('moov', box('mvhd', Buffer.alloc(100)), ...handlers.map(track)),
  ]);
const MEDIA = box('mdat', Buffer.alloc(200_000));
const NO_MEDIA = Buffer.alloc(0);

/** Builds an element of EBML with a size of one or eight bytes, or of unknown size. */
const element = (id: string, body: Buffer, size = Buffer.from([0x80 | body.length])) =>
  Buffer.concat([Buffer.from(id, 'hex'), size, body]);
const UNKNOWN_SIZE = Buffer.from('01ffffffffffffff', 'hex');
const matroskaFile = (docType: string, ...trackTypes: number[]) =>
  Buffer.concat([
    element('1a45dfa3', element('4282', asciiBytes(docType))),
    element(
      '18538067',
      Buffer.concat([
        element('1549a966', Buffer.alloc(40)),
        element(
          '1654ae6b',
          Buffer.concat(
            trackTypes.map((type) =>
              element('ae', Buffer.concat([element('d7', Buffer.from([1])), element('83', Buffer.from([type]))])),
            ),
          ),
        ),
        element('1f43b675', Buffer.alloc(100), UNKNOWN_SIZE),
      ]),
      UNKNOWN_SIZE,
    ),
  ]);
/** Returns a large TIFF file, whose directory is at its end. */
const tiffFile = (start: string) => Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(100_000, 7)]);
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
  ['MP4 with sound only, its index at the end', isoFile('isom', MEDIA, 'soun'), 'audio/mp4', AUDIO],
  ['MP4 with sound only, its index at the start', isoFile('mp42', NO_MEDIA, 'soun'), 'audio/mp4', AUDIO],
  ['3GP with sound only', isoFile('3gp5', MEDIA, 'soun', 'text'), 'audio/3gpp', AUDIO],
  ['QuickTime with sound only', isoFile('qt  ', MEDIA, 'soun'), 'audio/quicktime', AUDIO],
  ['MP4 with sound and picture', isoFile('isom', MEDIA, 'soun', 'vide'), 'video/mp4', VIDEO],
  ['3GP with a picture only', isoFile('3gp4', MEDIA, 'vide'), 'video/3gpp', VIDEO],
  ['MP4 with neither', isoFile('isom', MEDIA, 'text'), 'video/mp4', VIDEO],
  ['MP4 whose index is cut off', isoFile('isom', MEDIA, 'soun').subarray(0, -20), 'video/mp4', VIDEO],
  [
    'MP4 with too many boxes before its index',
    isoFile('isom', Buffer.concat(Array.from({ length: 40 }, () => MEDIA)), 'soun'),
    'video/mp4',
    VIDEO,
  ],
  ['WebM with sound only', matroskaFile('webm', 2), 'audio/webm', AUDIO],
  ['WebM with picture and sound', matroskaFile('webm', 1, 2), 'video/webm', VIDEO],
  ['Matroska with sound only', matroskaFile('matroska', 2, 17), 'audio/matroska', AUDIO],
  ['WebM without tracks', matroskaFile('webm'), 'video/webm', VIDEO],
  ['SILK', asciiBytes('#!SILK_V3\x0c\x00\xff\xfe'), 'audio/silk', AUDIO],
  ['SILK of WeChat', asciiBytes('\x02#!SILK_V3\x0c\x00\xff\xfe'), 'audio/silk', AUDIO],
  ['large TIFF, little-endian', tiffFile('49492a0000800000'), 'image/tiff', IMAGE],
  ['large TIFF, big-endian', tiffFile('4d4d002a00008000'), 'image/tiff', IMAGE],
  ['truncated PNG', Buffer.from('89504e470d0a1a0a', 'hex'), 'application/octet-stream', OTHER],
])('detectMediaType determines the type of a file: %s', async (_, bytes, mediaType, contentType) => {
  const head = bytes.subarray(0, SIGNATURE_BYTES);
  const read = (start: number, length: number) => Promise.resolve(Buffer.from(bytes.subarray(start, start + length)));
  expect(await detectMediaType(head, { size: bytes.length, read })).toEqual({ mediaType, contentType });
});
