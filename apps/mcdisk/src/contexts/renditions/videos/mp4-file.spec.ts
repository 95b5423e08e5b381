import { describe, expect, test } from '@jest/globals';
import { metadataPatches } from './strip-video-metadata.js';
import { chunkLengths, readMp4 } from './mp4-file.js';

const LOCATION = 'GPS +48.1371+011.5761';

function uint32Bytes(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

function boxBytes(type: string, ...parts: Buffer[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([uint32Bytes(size), Buffer.from(type, 'latin1'), ...parts]);
}

/** Builds a picture track with chunks at these offsets of the file, each with one sample of seven bytes. */
function pictureTrack(offsets: readonly number[], sizes: Buffer): Buffer {
  const tables = boxBytes(
    'stbl',
    ...[boxBytes('stsd', uint32Bytes(0, 0)), boxBytes('stsc', uint32Bytes(0, 1, 1, 1, 1)), boxBytes('stsz', sizes)],
    boxBytes('stco', uint32Bytes(0, offsets.length, ...offsets)),
  );
  const handler = boxBytes('hdlr', uint32Bytes(0, 0), Buffer.from('vide'), Buffer.alloc(13));
  return boxBytes('trak', boxBytes('mdia', handler, boxBytes('minf', tables)));
}

async function stripMetadata(bytes: Buffer): Promise<Buffer> {
  const patched = Buffer.from(bytes);
  const read = (start: number, length: number) => Promise.resolve(bytes.subarray(start, start + length));
  for (const { start, end, head } of metadataPatches(await readMp4({ size: bytes.length, read }))) {
    patched.fill(0, start, end);
    head?.copy(patched, start);
  }
  return patched;
}

describe('chunkLengths', () => {
  test('returns the sum of sample sizes for chunks with one sample and for chunks with two samples', () => {
    const runs = uint32Bytes(0, 2, 1, 1, 1, 3, 2, 1);
    expect(chunkLengths(runs, uint32Bytes(0, 0, 4, 10, 20, 30, 40), 3)).toEqual([10, 20, 70]);
  });

  test.each([
    ['more samples than sizes', uint32Bytes(0, 1, 1, 9, 1), uint32Bytes(0, 0, 1, 10)],
    ['samples outside of all chunks', uint32Bytes(0, 1, 1, 1, 1), uint32Bytes(0, 0, 2, 10, 20)],
    ['one nominal size for all samples', uint32Bytes(0, 1, 1, 1, 1), uint32Bytes(0, 1, 1)],
    ['truncated chunk table', uint32Bytes(0, 2, 1, 1, 1), uint32Bytes(0, 0, 1, 10)],
    ['truncated size table', uint32Bytes(0, 1, 1, 0xffffffff, 1), uint32Bytes(0, 0, 0xffffffff, 10)],
    ['empty tables', Buffer.alloc(0), Buffer.alloc(0)],
  ])('returns undefined for %s', (_, runs, sizes) => {
    expect(chunkLengths(runs, sizes, 1)).toBeUndefined();
  });
});

describe('metadataPatches', () => {
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
