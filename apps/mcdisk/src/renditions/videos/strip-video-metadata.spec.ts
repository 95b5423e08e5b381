import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { metadataPatches, applyPatches, type Patch } from './strip-video-metadata.js';
import { UnreadableVideoError, readMp4 } from '../../storage/blobs/mp4-file.js';
import { captureTimeOfVideo } from '../capture-time.js';

const LOCATION = '+48.1371+011.5761+519/';
const NOW = Date.UTC(2026, 10, 21);
const CAPTURED_AT = Date.UTC(2026, 4, 17, 6, 30, 5);

function boxBytes(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

const uint32Bytes = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer).swap32();

function trackBox(handler: string, chunks: number[], extraBoxes: Buffer[] = []): Buffer {
  return boxBytes(
    'trak',
    boxBytes('tkhd', uint32Bytes(0, 0, 0, 1)),
    ...extraBoxes,
    boxBytes(
      'mdia',
      boxBytes('mdhd', uint32Bytes(0, 0, 0, 1_000, 9)),
      boxBytes('hdlr', uint32Bytes(0, 0), handler, Buffer.alloc(13)),
      boxBytes(
        'minf',
        boxBytes(
          'stbl',
          boxBytes('stsd', uint32Bytes(0, 0)),
          boxBytes('stco', uint32Bytes(0, chunks.length, ...chunks)),
        ),
      ),
      boxBytes('udta', boxBytes('©xyz', LOCATION)),
    ),
  );
}

/** Builds a picture track with chunks at these offsets of the file, each with one sample of seven bytes. */
function pictureTrack(offsets: readonly number[], sizes: Buffer): Buffer {
  const tables = boxBytes(
    'stbl',
    ...[boxBytes('stsd', uint32Bytes(0, 0)), boxBytes('stsc', uint32Bytes(0, 1, 1, 1, 1)), boxBytes('stsz', sizes)],
    boxBytes('stco', uint32Bytes(0, offsets.length, ...offsets)),
  );
  const handler = boxBytes('hdlr', uint32Bytes(0, 0), 'vide', Buffer.alloc(13));
  return boxBytes('trak', boxBytes('mdia', handler, boxBytes('minf', tables)));
}

const movieHeader = boxBytes('mvhd', uint32Bytes(0, CAPTURED_AT / 1_000 + 2_082_844_800, 0, 1_000, 9));
const fileTypeBox = boxBytes('ftyp', 'isom', uint32Bytes(512), 'isommp42');

/**
 * Builds a video whose media data precedes the movie header, so that the offsets of its chunks are known: the first
 * chunk starts after the file type box of 24 bytes and the 8-byte header of the media data.
 */
function createVideo(
  options: { mediaData?: string; tracks?: Buffer[]; moovBoxes?: Buffer[]; trailingBoxes?: Buffer[] } = {},
): Buffer {
  const {
    mediaData = 'PICTURESsounds',
    tracks = [trackBox('vide', [32]), trackBox('soun', [40])],
    moovBoxes = [],
    trailingBoxes = [],
  } = options;
  return Buffer.concat([
    fileTypeBox,
    boxBytes('mdat', mediaData),
    boxBytes('moov', movieHeader, ...tracks, ...moovBoxes),
    ...trailingBoxes,
  ]);
}

function toRandomAccess(bytes: Buffer) {
  return {
    size: bytes.length,
    read: (start: number, length: number) => Promise.resolve(Buffer.from(bytes.subarray(start, start + length))),
  };
}

async function stripMetadata(bytes: Buffer): Promise<Buffer> {
  const patched = Buffer.from(bytes);
  for (const { start, end, head } of metadataPatches(await readMp4(toRandomAccess(bytes)))) {
    patched.fill(0, start, end);
    head?.copy(patched, start);
  }
  return patched;
}

describe('metadataPatches', () => {
  test.each([
    [
      'a ©xyz box, as written by Android',
      createVideo({ moovBoxes: [boxBytes('udta', boxBytes('©xyz', uint32Bytes(0), LOCATION))] }),
    ],
    [
      'a loci box, as in 3GPP',
      createVideo({ moovBoxes: [boxBytes('udta', boxBytes('loci', uint32Bytes(0), LOCATION))] }),
    ],
    [
      'metadata keys, as in QuickTime',
      createVideo({
        moovBoxes: [
          boxBytes('meta', boxBytes('keys', 'com.apple.quicktime.location.ISO6709'), boxBytes('ilst', LOCATION)),
        ],
      }),
    ],
    [
      'metadata in a track',
      createVideo({
        tracks: [trackBox('vide', [32], [boxBytes('udta', boxBytes('©xyz', LOCATION)), boxBytes('meta', LOCATION)])],
      }),
    ],
    [
      'XMP metadata',
      createVideo({
        trailingBoxes: [boxBytes('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), LOCATION)],
      }),
    ],
    ['deleted boxes', createVideo({ trailingBoxes: [boxBytes('free', LOCATION), boxBytes('skip', LOCATION)] })],
    ['bytes after the last box', createVideo({ trailingBoxes: [Buffer.from(`\0\0\0\x03junk${LOCATION}`, 'latin1')] })],
    [
      'samples of a timed metadata track',
      createVideo({
        mediaData: `PICTURES${LOCATION}sounds`,
        tracks: [trackBox('vide', [32]), trackBox('meta', [40]), trackBox('soun', [62])],
      }),
    ],
    [
      'a subtitle track of a drone',
      createVideo({ mediaData: `PICTURES${LOCATION}`, tracks: [trackBox('vide', [32]), trackBox('text', [40])] }),
    ],
    [
      'unknown boxes',
      createVideo({ moovBoxes: [boxBytes('gps ', LOCATION)], trailingBoxes: [boxBytes('GPRI', LOCATION)] }),
    ],
  ])('removes the location from a video with %s', async (_, bytes) => {
    expect(bytes.toString('latin1')).toContain(LOCATION);
    const patched = await stripMetadata(bytes);
    expect(patched).toHaveLength(bytes.length);
    expect(patched.toString('latin1')).not.toContain('48.1371');
    expect(patched.toString('latin1')).toContain('PICTURES');
    expect(await stripMetadata(patched)).toEqual(patched);
  });
});

describe('metadataPatches of a video with sample tables', () => {
  const data = Buffer.from(`PICTURE${LOCATION}picture${LOCATION}`);
  const offsets = [16, 16 + 7 + LOCATION.length];
  const video = (sizes: Buffer) =>
    Buffer.concat([
      boxBytes('ftyp'),
      boxBytes('mdat', data),
      boxBytes('moov', boxBytes('mvhd', uint32Bytes(0)), pictureTrack(offsets, sizes)),
    ]);

  test('overwrites all bytes between samples and keeps every sample', async () => {
    const bytes = video(uint32Bytes(0, 0, 2, 7, 7));
    const gap = Buffer.alloc(LOCATION.length);
    const expected = Buffer.concat([Buffer.from('PICTURE'), gap, Buffer.from('picture'), gap]);
    expect((await stripMetadata(bytes)).subarray(16, 16 + data.length)).toEqual(expected);
  });

  test('keeps the media data when the sample sizes are not exact', async () => {
    const bytes = video(uint32Bytes(0, 1, 2));
    expect((await stripMetadata(bytes)).subarray(16, 16 + data.length)).toEqual(data);
  });
});

test('metadataPatches keeps picture and sound samples at their offsets', async () => {
  const bytes = createVideo({
    mediaData: `PICTURES${LOCATION}sounds`,
    tracks: [trackBox('vide', [32]), trackBox('meta', [40]), trackBox('soun', [62])],
  });
  const patched = await stripMetadata(bytes);
  expect(patched.indexOf('PICTURES')).toBe(32);
  expect(patched.indexOf('sounds')).toBe(62);
});

test('metadataPatches accepts a truncated recording and keeps its pictures', async () => {
  const data = boxBytes('mdat', 'PICTURES');
  data.writeUInt32BE(9_000, 0);
  const bytes = Buffer.concat([fileTypeBox, boxBytes('moov', movieHeader, trackBox('vide', [32])), data]);
  expect((await stripMetadata(bytes)).toString('latin1')).toContain('PICTURES');
});

test('metadataPatches keeps fragments of pictures and sound, and throws if a fragmented video has other tracks', async () => {
  const fragment = boxBytes(
    'moof',
    boxBytes('mfhd', uint32Bytes(0, 1)),
    boxBytes('traf', boxBytes('tfhd', uint32Bytes(0, 1)), boxBytes('udta', LOCATION)),
  );
  const patched = await stripMetadata(createVideo({ trailingBoxes: [fragment, boxBytes('mdat', 'MORE')] }));
  expect(patched.toString('latin1')).not.toContain('48.1371');
  expect(patched.toString('latin1')).toContain('MORE');
  const withMetadataTrack = createVideo({
    tracks: [trackBox('vide', [32]), trackBox('meta', [40])],
    trailingBoxes: [fragment],
  });
  await expect(stripMetadata(withMetadataTrack)).rejects.toThrow(UnreadableVideoError);
});

test('captureTimeOfVideo reads the capture time from the movie header', async () => {
  expect(captureTimeOfVideo(await readMp4(toRandomAccess(createVideo())), NOW)).toBe(CAPTURED_AT);
  expect(captureTimeOfVideo(await readMp4(toRandomAccess(createVideo())), CAPTURED_AT - 86_400_000)).toBeNull();
});

describe('metadataPatches for any input', () => {
  const expectSameLengthOrUnreadable = async (bytes: Buffer) => {
    try {
      expect(await stripMetadata(bytes)).toHaveLength(bytes.length);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableVideoError);
    }
  };

  test('keeps the length of arbitrary bytes or throws UnreadableVideoError', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) =>
        expectSameLengthOrUnreadable(Buffer.concat([fileTypeBox, bytes])),
      ),
    ));

  test('keeps the length of a video with some changed bytes or throws UnreadableVideoError', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = createVideo({
            moovBoxes: [boxBytes('udta', LOCATION)],
            trailingBoxes: [boxBytes('free', LOCATION)],
          });
          for (const [offset, value] of changes) bytes[offset % bytes.length] = value;
          await expectSameLengthOrUnreadable(bytes);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    ));

  test('keeps the length of a truncated video or throws UnreadableVideoError', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(createVideo().length), (length) =>
        expectSameLengthOrUnreadable(createVideo().subarray(0, length)),
      ),
    ));
});

const FILE_SIZE = 200;

const patches = fc
  .uniqueArray(fc.nat(FILE_SIZE), { minLength: 0, maxLength: 12 })
  .map((offsets) => [...offsets].sort((a, b) => a - b))
  .chain((offsets) =>
    fc.tuple(
      ...Array.from({ length: Math.floor(offsets.length / 2) }, (_, index) => {
        const [start = 0, end = 0] = offsets.slice(index * 2);
        return fc
          .uint8Array({ maxLength: end - start })
          .map((head): Patch => ({ start, end, head: Buffer.from(head) }));
      }),
    ),
  );

test('applyPatches overwrites exactly the patched ranges, however the bytes are split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: FILE_SIZE, maxLength: FILE_SIZE }),
      patches,
      fc.integer({ min: 1, max: 70 }),
      async (bytes, allPatches, chunkSize) => {
        const source = Buffer.from(bytes);
        const expected = Buffer.from(bytes);
        for (const { start, end, head } of allPatches) {
          expected.fill(0, start, end);
          head?.copy(expected, start);
        }
        const chunks = Array.from({ length: Math.ceil(FILE_SIZE / chunkSize) }, (_, index) =>
          source.subarray(index * chunkSize, (index + 1) * chunkSize),
        );
        expect(await buffer(Readable.from(chunks).pipe(applyPatches(allPatches)))).toEqual(expected);
        // The buffers of the source must be unchanged, because other code may still read them.
        expect(source).toEqual(Buffer.from(bytes));
      },
    ),
  );
});
