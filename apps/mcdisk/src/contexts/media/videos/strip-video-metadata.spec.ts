import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { metadataPatches } from './strip-video-metadata.js';
import { UnreadableVideoError } from './box.js';
import { readMp4 } from './mp4-file.js';
import { captureTimeOfVideo } from './video-capture-time.js';

const LOCATION = '+48.1371+011.5761+519/';
const NOW = Date.UTC(2026, 10, 21);
const TAKEN = Date.UTC(2026, 4, 17, 6, 30, 5);

function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(body.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

function track(handler: string, chunks: number[], extraBoxes: Buffer[] = []): Buffer {
  return box(
    'trak',
    box('tkhd', numbers(0, 0, 0, 1)),
    ...extraBoxes,
    box(
      'mdia',
      box('mdhd', numbers(0, 0, 0, 1_000, 9)),
      box('hdlr', numbers(0, 0), handler, Buffer.alloc(13)),
      box('minf', box('stbl', box('stsd', numbers(0, 0)), box('stco', numbers(0, chunks.length, ...chunks)))),
      box('udta', box('©xyz', LOCATION)),
    ),
  );
}

const movieHeader = box('mvhd', numbers(0, TAKEN / 1_000 + 2_082_844_800, 0, 1_000, 9));
const brand = box('ftyp', 'isom', numbers(512), 'isommp42');

/**
 * Builds a video whose media data precedes the movie header, so that the offsets of its chunks are known: the first one
 * is 24 + 8.
 */
function video(options: { data?: string; tracks?: Buffer[]; inMoov?: Buffer[]; tail?: Buffer[] } = {}): Buffer {
  const {
    data = 'PICTURESsounds',
    tracks = [track('vide', [32]), track('soun', [40])],
    inMoov = [],
    tail = [],
  } = options;
  return Buffer.concat([brand, box('mdat', data), box('moov', movieHeader, ...tracks, ...inMoov), ...tail]);
}

function toRandomAccess(bytes: Buffer) {
  return {
    size: bytes.length,
    read: (start: number, length: number) => Promise.resolve(Buffer.from(bytes.subarray(start, start + length))),
  };
}

async function strip(bytes: Buffer): Promise<Buffer> {
  const patched = Buffer.from(bytes);
  for (const { start, end, head } of metadataPatches(await readMp4(toRandomAccess(bytes)))) {
    patched.fill(0, start, end);
    head?.copy(patched, start);
  }
  return patched;
}

describe('metadataPatches', () => {
  test.each([
    ['a ©xyz box, as written by Android', video({ inMoov: [box('udta', box('©xyz', numbers(0), LOCATION))] })],
    ['a loci box, as in 3GPP', video({ inMoov: [box('udta', box('loci', numbers(0), LOCATION))] })],
    [
      'metadata keys, as in QuickTime',
      video({ inMoov: [box('meta', box('keys', 'com.apple.quicktime.location.ISO6709'), box('ilst', LOCATION))] }),
    ],
    [
      'metadata in a track',
      video({ tracks: [track('vide', [32], [box('udta', box('©xyz', LOCATION)), box('meta', LOCATION)])] }),
    ],
    ['XMP metadata', video({ tail: [box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), LOCATION)] })],
    ['deleted boxes', video({ tail: [box('free', LOCATION), box('skip', LOCATION)] })],
    ['bytes after the last box', video({ tail: [Buffer.from(`\0\0\0\x03junk${LOCATION}`, 'latin1')] })],
    [
      'samples of a timed metadata track',
      video({
        data: `PICTURES${LOCATION}sounds`,
        tracks: [track('vide', [32]), track('meta', [40]), track('soun', [62])],
      }),
    ],
    [
      'a subtitle track of a drone',
      video({ data: `PICTURES${LOCATION}`, tracks: [track('vide', [32]), track('text', [40])] }),
    ],
    ['unknown boxes', video({ inMoov: [box('gps ', LOCATION)], tail: [box('GPRI', LOCATION)] })],
  ])('removes the location from a video with %s', async (_, bytes) => {
    expect(bytes.toString('latin1')).toContain(LOCATION);
    const patched = await strip(bytes);
    expect(patched).toHaveLength(bytes.length);
    expect(patched.toString('latin1')).not.toContain('48.1371');
    expect(patched.toString('latin1')).toContain('PICTURES');
    expect(await strip(patched)).toEqual(patched);
  });
});

test('metadataPatches keeps picture and sound samples at their offsets', async () => {
  const bytes = video({
    data: `PICTURES${LOCATION}sounds`,
    tracks: [track('vide', [32]), track('meta', [40]), track('soun', [62])],
  });
  const patched = await strip(bytes);
  expect(patched.indexOf('PICTURES')).toBe(32);
  expect(patched.indexOf('sounds')).toBe(62);
});

test('metadataPatches accepts a truncated recording and keeps its pictures', async () => {
  const data = box('mdat', 'PICTURES');
  data.writeUInt32BE(9_000, 0);
  const bytes = Buffer.concat([brand, box('moov', movieHeader, track('vide', [32])), data]);
  expect((await strip(bytes)).toString('latin1')).toContain('PICTURES');
});

test('metadataPatches keeps the fragments of picture and sound tracks, and throws if a fragmented video has other tracks', async () => {
  const fragment = box(
    'moof',
    box('mfhd', numbers(0, 1)),
    box('traf', box('tfhd', numbers(0, 1)), box('udta', LOCATION)),
  );
  const patched = await strip(video({ tail: [fragment, box('mdat', 'MORE')] }));
  expect(patched.toString('latin1')).not.toContain('48.1371');
  expect(patched.toString('latin1')).toContain('MORE');
  const measuring = video({ tracks: [track('vide', [32]), track('meta', [40])], tail: [fragment] });
  await expect(strip(measuring)).rejects.toThrow(UnreadableVideoError);
});

test('captureTimeOfVideo reads the capture time from the movie header', async () => {
  expect(captureTimeOfVideo(await readMp4(toRandomAccess(video())), NOW)).toBe(TAKEN);
  expect(captureTimeOfVideo(await readMp4(toRandomAccess(video())), TAKEN - 86_400_000)).toBeNull();
});

describe('metadataPatches for any input', () => {
  const attempt = async (bytes: Buffer) => {
    try {
      expect(await strip(bytes)).toHaveLength(bytes.length);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableVideoError);
    }
  };

  test('keeps the length of arbitrary bytes or throws UnreadableVideoError', () =>
    fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => attempt(Buffer.concat([brand, bytes])))));

  test('keeps the length of a video with some changed bytes or throws UnreadableVideoError', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = video({ inMoov: [box('udta', LOCATION)], tail: [box('free', LOCATION)] });
          for (const [offset, value] of changes) bytes[offset % bytes.length] = value;
          await attempt(bytes);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    ));

  test('keeps the length of a truncated video or throws UnreadableVideoError', () =>
    fc.assert(fc.asyncProperty(fc.nat(video().length), (length) => attempt(video().subarray(0, length)))));
});
