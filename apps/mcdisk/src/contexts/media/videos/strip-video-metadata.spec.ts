import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { metadataPatches } from './strip-video-metadata.js';
import { UnreadableVideoError } from './box.js';
import { readMp4 } from './mp4-file.js';
import { captureTimeOfVideo } from './video-capture-time.js';

const PLACE = '+48.1371+011.5761+519/';
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

function track(handler: string, chunks: number[], more: Buffer[] = []): Buffer {
  return box(
    'trak',
    box('tkhd', numbers(0, 0, 0, 1)),
    ...more,
    box(
      'mdia',
      box('mdhd', numbers(0, 0, 0, 1_000, 9)),
      box('hdlr', numbers(0, 0), handler, Buffer.alloc(13)),
      box('minf', box('stbl', box('stsd', numbers(0, 0)), box('stco', numbers(0, chunks.length, ...chunks)))),
      box('udta', box('©xyz', PLACE)),
    ),
  );
}

const movieHeader = box('mvhd', numbers(0, TAKEN / 1_000 + 2_082_844_800, 0, 1_000, 9));
const brand = box('ftyp', 'isom', numbers(512), 'isommp42');

/** The data first, so that the places of its chunks are known: at 24 + 8, and so on. */
function film(options: { data?: string; tracks?: Buffer[]; inMoov?: Buffer[]; tail?: Buffer[] } = {}): Buffer {
  const {
    data = 'PICTURESsounds',
    tracks = [track('vide', [32]), track('soun', [40])],
    inMoov = [],
    tail = [],
  } = options;
  return Buffer.concat([brand, box('mdat', data), box('moov', movieHeader, ...tracks, ...inMoov), ...tail]);
}

function bytesOf(bytes: Buffer) {
  return {
    size: bytes.length,
    read: (start: number, length: number) => Promise.resolve(Buffer.from(bytes.subarray(start, start + length))),
  };
}

async function anonymous(bytes: Buffer): Promise<Buffer> {
  const patched = Buffer.from(bytes);
  for (const { start, end, head } of metadataPatches(await readMp4(bytesOf(bytes)))) {
    patched.fill(0, start, end);
    head?.copy(patched, start);
  }
  return patched;
}

describe('no place is left', () => {
  test.each([
    ['Android: ©xyz', film({ inMoov: [box('udta', box('©xyz', numbers(0), PLACE))] })],
    ['3GPP: loci', film({ inMoov: [box('udta', box('loci', numbers(0), PLACE))] })],
    [
      'QuickTime: keys',
      film({ inMoov: [box('meta', box('keys', 'com.apple.quicktime.location.ISO6709'), box('ilst', PLACE))] }),
    ],
    ['in a track', film({ tracks: [track('vide', [32], [box('udta', box('©xyz', PLACE)), box('meta', PLACE)])] })],
    ['XMP', film({ tail: [box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), PLACE)] })],
    ['what was deleted', film({ tail: [box('free', PLACE), box('skip', PLACE)] })],
    ['behind the last box', film({ tail: [Buffer.from(`\0\0\0\x03junk${PLACE}`, 'latin1')] })],
    [
      'samples of a track that measures',
      film({ data: `PICTURES${PLACE}sounds`, tracks: [track('vide', [32]), track('meta', [40]), track('soun', [62])] }),
    ],
    ['subtitles of a drone', film({ data: `PICTURES${PLACE}`, tracks: [track('vide', [32]), track('text', [40])] })],
    ['a box that nobody knows', film({ inMoov: [box('gps ', PLACE)], tail: [box('GPRI', PLACE)] })],
  ])('%s', async (_, bytes) => {
    expect(bytes.toString('latin1')).toContain(PLACE);
    const patched = await anonymous(bytes);
    expect(patched).toHaveLength(bytes.length);
    expect(patched.toString('latin1')).not.toContain('48.1371');
    expect(patched.toString('latin1')).toContain('PICTURES');
    expect(await anonymous(patched)).toEqual(patched);
  });
});

test('pictures and sound stay where they were', async () => {
  const bytes = film({
    data: `PICTURES${PLACE}sounds`,
    tracks: [track('vide', [32]), track('meta', [40]), track('soun', [62])],
  });
  const patched = await anonymous(bytes);
  expect(patched.indexOf('PICTURES')).toBe(32);
  expect(patched.indexOf('sounds')).toBe(62);
});

test('a recording that was cut off is as much of a film as there is', async () => {
  const data = box('mdat', 'PICTURES');
  data.writeUInt32BE(9_000, 0);
  const bytes = Buffer.concat([brand, box('moov', movieHeader, track('vide', [32])), data]);
  expect((await anonymous(bytes)).toString('latin1')).toContain('PICTURES');
});

test('fragments of pictures and sound stay; beside other tracks they are not told apart', async () => {
  const fragment = box('moof', box('mfhd', numbers(0, 1)), box('traf', box('tfhd', numbers(0, 1)), box('udta', PLACE)));
  const patched = await anonymous(film({ tail: [fragment, box('mdat', 'MORE')] }));
  expect(patched.toString('latin1')).not.toContain('48.1371');
  expect(patched.toString('latin1')).toContain('MORE');
  const measuring = film({ tracks: [track('vide', [32]), track('meta', [40])], tail: [fragment] });
  await expect(anonymous(measuring)).rejects.toThrow(UnreadableVideoError);
});

test('the time is that of the index', async () => {
  expect(captureTimeOfVideo(await readMp4(bytesOf(film())), NOW)).toBe(TAKEN);
  expect(captureTimeOfVideo(await readMp4(bytesOf(film())), TAKEN - 86_400_000)).toBeNull();
});

describe('whatever comes, it is a film of the same length or it is refused', () => {
  const attempt = async (bytes: Buffer) => {
    try {
      expect(await anonymous(bytes)).toHaveLength(bytes.length);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableVideoError);
    }
  };

  test('bytes of any kind', () =>
    fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => attempt(Buffer.concat([brand, bytes])))));

  test('a film in which some bytes are others', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = film({ inMoov: [box('udta', PLACE)], tail: [box('free', PLACE)] });
          for (const [place, value] of changes) bytes[place % bytes.length] = value;
          await attempt(bytes);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    ));

  test('a film that ends somewhere', () =>
    fc.assert(fc.asyncProperty(fc.nat(film().length), (length) => attempt(film().subarray(0, length)))));
});
