import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { MediaLibrary } from '../support/media-library.js';
import { corners, cornersOf, noise, PLANTED_EXIF, PLANTED_XMP, traces, withIptc } from '../support/pictures.js';

const HEIC = join(import.meta.dirname, '../fixtures/picture.heic');
const SHOT_AT = Date.UTC(2026, 4, 17, 6, 30, 5);
const UPRIGHT = 'red green blue white';

let library: MediaLibrary;

beforeAll(async () => {
  library = await MediaLibrary.open();
});

afterAll(() => library.close());

describe('pictures of every kind, whatever they are called', () => {
  test.each([
    ['JPEG', () => corners().jpeg({ quality: 95 }).toBuffer(), 'image/jpeg'],
    ['PNG', () => corners().png().toBuffer(), 'image/png'],
    ['WebP', () => corners().webp({ quality: 95 }).toBuffer(), 'image/webp'],
    ['GIF', () => corners().gif().toBuffer(), 'image/gif'],
    ['TIFF', () => corners().tiff().toBuffer(), 'image/jpeg'],
    ['AVIF', () => corners().avif({ quality: 90 }).toBuffer(), 'image/jpeg'],
  ])('%s', async (kind, make, sharedType) => {
    const key = await library.store(`no ${kind} at all.txt`, await make());
    const thumbnail = await library.thumbnailOf(key);
    expect(thumbnail.mediaType).toBe('image/jpeg');
    expect(await cornersOf(thumbnail.bytes)).toBe(UPRIGHT);
    const shared = await library.sharedOf(key);
    expect(shared).toMatchObject({ mediaType: sharedType, size: shared.bytes.length });
    expect(shared.digest).toBe(createHash('sha256').update(shared.bytes).digest('hex'));
    expect(await cornersOf(shared.bytes)).toBe(UPRIGHT);
  });

  test('HEIC, with the time of its EXIF', async () => {
    const key = await library.store('picture.heic', await readFile(HEIC));
    for (const rendition of [await library.thumbnailOf(key), await library.sharedOf(key)]) {
      expect(rendition.mediaType).toBe('image/jpeg');
      const { width, height, format, exif } = await sharp(rendition.bytes).metadata();
      expect({ width, height, format, exif }).toEqual({ width: 96, height: 64, format: 'jpeg', exif: undefined });
    }
    expect(await library.shotTimesOf(key)).toEqual([SHOT_AT]);
  });

  test('a large one gets a small thumbnail, and a small one is not enlarged', async () => {
    const large = await library.thumbnailOf(
      await library.store('large.jpg', await noise(2_000, 1_000).jpeg().toBuffer()),
    );
    expect(await sharp(large.bytes).metadata()).toMatchObject({ width: 512, height: 256 });
    const small = await library.thumbnailOf(await library.store('small.png', await corners(20, 10).png().toBuffer()));
    expect(await sharp(small.bytes).metadata()).toMatchObject({ width: 20, height: 10 });
  });

  test('a GIF that moves is shared as one that moves', async () => {
    const frames = await Promise.all([0, 90, 180].map((angle) => corners(48, 48).rotate(angle).png().toBuffer()));
    const moving = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100] })
      .toBuffer();
    const key = await library.store('moving.gif', moving);
    expect((await sharp((await library.sharedOf(key)).bytes).metadata()).pages).toBe(3);
    expect((await sharp((await library.thumbnailOf(key)).bytes).metadata()).format).toBe('jpeg');
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i of EXIF is applied and gone', async (orientation) => {
  const bytes = await turned(orientation);
  const key = await library.store(`turned ${orientation}.jpg`, bytes);
  for (const rendition of [await library.thumbnailOf(key), await library.sharedOf(key)]) {
    expect(await cornersOf(rendition.bytes)).toBe(UPRIGHT);
    expect((await sharp(rendition.bytes).metadata()).orientation).toBeUndefined();
  }
});

describe('a position survives nowhere', () => {
  test.each([
    ['EXIF, XMP, IPTC and comment of a JPEG', async () => withIptc(await planted().jpeg().toBuffer())],
    ['EXIF and XMP of a PNG', () => planted().png().toBuffer()],
    ['EXIF and XMP of a WebP', () => planted().webp().toBuffer()],
    ['EXIF and XMP of a TIFF', () => planted().tiff().toBuffer()],
    ['EXIF and XMP of an AVIF', () => planted().avif().toBuffer()],
    [
      'a film behind a picture',
      async () => Buffer.concat([await planted().jpeg().toBuffer(), Buffer.from('48.137154')]),
    ],
  ])('%s', async (_, make) => {
    const original = await make();
    expect(traces(original).length).toBeGreaterThan(0);
    const key = await library.store('planted', original);
    for (const rendition of [await library.thumbnailOf(key), await library.sharedOf(key)]) {
      expect(traces(rendition.bytes)).toEqual([]);
      const { exif, xmp, iptc } = await sharp(rendition.bytes).metadata();
      expect({ exif, xmp, iptc }).toEqual({ exif: undefined, xmp: undefined, iptc: undefined });
    }
    // The family's own file is what it was.
    expect(await library.bytesOf(key)).toEqual(original);
  });

  test('nor does that of a HEIC', async () => {
    const key = await library.store('planted.heic', await readFile(HEIC));
    expect((await sharp((await library.sharedOf(key)).bytes).metadata()).exif).toBeUndefined();
  });
});

describe('what nobody makes anything of', () => {
  test.each([
    ['text', Buffer.from('Liebe Oma')],
    ['nothing at all', Buffer.alloc(0)],
    ['sound', Buffer.concat([Buffer.from('#!AMR\n'), randomBytes(200)])],
    ['a page called a picture', Buffer.from('<html><script>alert(1)</script></html>')],
  ])('%s is shared as it is, and has no thumbnail', async (_, bytes) => {
    const key = await library.store('picture.jpg', bytes);
    expect(await library.sharedOf(key)).toMatchObject({ blobKey: key, bytes });
    expect(await library.renditions.find(key, 'THUMBNAIL')).toBeUndefined();
  });

  test('a drawing that could fetch and run is never drawn', async () => {
    const svg =
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const key = await library.store('picture.jpg', Buffer.from(svg));
    expect(await library.renditions.findOrGenerate(key, 'THUMBNAIL')).toBeUndefined();
    expect(await library.settled(key, 'THUMBNAIL')).toBe('NONE');
  });

  test('a picture that cannot be read is never shared, not even as it is', async () => {
    const half = (await noise(400, 400).jpeg().toBuffer()).subarray(0, 9_000);
    const key = await library.store('half.jpg', half);
    expect(await library.settled(key, 'THUMBNAIL')).toBe('FAILED');
    expect(await library.renditions.findOrGenerate(key, 'SHARED')).toBeUndefined();
    expect(await library.settled(key, 'SHARED')).toBe('FAILED');
  });
});

test('equal pictures have one thumbnail, and the second has the time at once', async () => {
  const bytes = await planted().jpeg({ quality: 70 }).toBuffer();
  const key = await library.store('first.jpg', bytes);
  await library.thumbnailOf(key);
  expect(await library.store('second.jpg', bytes)).toBe(key);
  expect(await library.shotTimesOf(key)).toEqual([SHOT_AT, SHOT_AT]);
});

test('many are found at once, and those of which there is none are missing', async () => {
  const keys = await Promise.all(
    [0, 1, 2].map(async (index) =>
      library.store(
        `many ${index}`,
        await corners(30 + index, 30)
          .png()
          .toBuffer(),
      ),
    ),
  );
  const text = await library.store('many.txt', Buffer.from('many'));
  for (const key of keys) await library.settled(key, 'THUMBNAIL');
  const found = await library.renditions.findMany([...keys, text], 'THUMBNAIL');
  expect([...found.keys()].sort()).toEqual([...keys].sort());
  expect(await library.renditions.findMany([], 'THUMBNAIL')).toEqual(new Map());
});

function planted() {
  return corners().withExif(PLANTED_EXIF).withXmp(PLANTED_XMP);
}

/** Pixels that lie as a camera held that way writes them: upright once the orientation is applied. */
async function turned(orientation: number): Promise<Buffer> {
  const undo: Record<number, { angle: number; flop: boolean }> = {
    1: { angle: 0, flop: false },
    2: { angle: 0, flop: true },
    3: { angle: 180, flop: false },
    4: { angle: 180, flop: true },
    5: { angle: 90, flop: true },
    6: { angle: 270, flop: false },
    7: { angle: 270, flop: true },
    8: { angle: 90, flop: false },
  };
  const { angle = 0, flop = false } = undo[orientation] ?? {};
  const rotated = await corners().rotate(angle).png().toBuffer();
  const laid = sharp(rotated).flop(flop);
  return laid.withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
}
