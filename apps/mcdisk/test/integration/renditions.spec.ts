import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { MediaLibrary } from '../support/media-library.js';
import {
  createCornersPicture,
  cornersOf,
  createNoisePicture,
  TEST_LOCATION_EXIF,
  TEST_LOCATION_XMP,
  findTestLocation,
  withIptc,
} from '../support/pictures.js';

const HEIC_FIXTURE = join(import.meta.dirname, '../fixtures/picture.heic');
const CAPTURED_AT = Date.UTC(2026, 4, 17, 6, 30, 5);
const UPRIGHT_CORNERS = 'red green blue white';

let library: MediaLibrary;

beforeAll(async () => {
  library = await MediaLibrary.open();
});

afterAll(() => library.close());

describe('pictures of every format, whatever their file name', () => {
  test.each([
    ['JPEG', () => createCornersPicture().jpeg({ quality: 95 }).toBuffer(), 'image/jpeg'],
    ['PNG', () => createCornersPicture().png().toBuffer(), 'image/png'],
    ['WebP', () => createCornersPicture().webp({ quality: 95 }).toBuffer(), 'image/webp'],
    ['GIF', () => createCornersPicture().gif().toBuffer(), 'image/gif'],
    ['TIFF', () => createCornersPicture().tiff().toBuffer(), 'image/jpeg'],
    ['AVIF', () => createCornersPicture().avif({ quality: 90 }).toBuffer(), 'image/jpeg'],
  ])('%s has a thumbnail and a shared copy', async (kind, make, sharedType) => {
    const key = await library.uploadFile(`no ${kind} at all.txt`, await make());
    const thumbnail = await library.waitForThumbnail(key);
    expect(thumbnail.mediaType).toBe('image/jpeg');
    expect(await cornersOf(thumbnail.bytes)).toBe(UPRIGHT_CORNERS);
    const shared = await library.waitForSharedCopy(key);
    expect(shared).toMatchObject({ mediaType: sharedType, size: shared.bytes.length });
    expect(shared.digest).toBe(createHash('sha256').update(shared.bytes).digest('hex'));
    expect(await cornersOf(shared.bytes)).toBe(UPRIGHT_CORNERS);
  });

  test('HEIC has a thumbnail, a shared copy and the capture time of its EXIF', async () => {
    const key = await library.uploadFile('picture.heic', await readFile(HEIC_FIXTURE));
    for (const rendition of [await library.waitForThumbnail(key), await library.waitForSharedCopy(key)]) {
      expect(rendition.mediaType).toBe('image/jpeg');
      const { width, height, format, exif } = await sharp(rendition.bytes).metadata();
      expect({ width, height, format, exif }).toEqual({ width: 96, height: 64, format: 'jpeg', exif: undefined });
    }
    expect(await library.captureTimesOf(key)).toEqual([CAPTURED_AT]);
  });

  test.each([
    ['JPEG', (picture: Sharp) => picture.jpeg({ quality: 95 })],
    ['progressive JPEG', (picture: Sharp) => picture.jpeg({ quality: 95, progressive: true })],
    ['GIF', (picture: Sharp) => picture.gif()],
  ])('a %s without its last bytes has renditions of what can be decoded', async (kind, encode) => {
    const complete = await encode(createCornersPicture(600, 400)).toBuffer();
    const key = await library.uploadFile(kind, complete.subarray(0, -Math.ceil(complete.length / 20)));
    for (const rendition of [await library.waitForThumbnail(key), await library.waitForSharedCopy(key)]) {
      expect((await cornersOf(rendition.bytes)).split(' ').slice(0, 2)).toEqual(['red', 'green']);
    }
  });

  test('a large TIFF has a thumbnail', async () => {
    const key = await library.uploadFile('scan.tif', await createNoisePicture(200, 100).tiff().toBuffer());
    expect(await sharp((await library.waitForThumbnail(key)).bytes).metadata()).toMatchObject({ width: 200 });
  });

  test('a thumbnail of a large picture is scaled down, and one of a small picture is not enlarged', async () => {
    const large = await library.waitForThumbnail(
      await library.uploadFile('large.jpg', await createNoisePicture(2_000, 1_000).jpeg().toBuffer()),
    );
    expect(await sharp(large.bytes).metadata()).toMatchObject({ width: 512, height: 256 });
    const small = await library.waitForThumbnail(
      await library.uploadFile('small.png', await createCornersPicture(20, 10).png().toBuffer()),
    );
    expect(await sharp(small.bytes).metadata()).toMatchObject({ width: 20, height: 10 });
  });

  test('the shared copy of a GIF keeps its animation', async () => {
    const frames = await Promise.all(
      [0, 90, 180].map((angle) => createCornersPicture(48, 48).rotate(angle).png().toBuffer()),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100] })
      .toBuffer();
    const key = await library.uploadFile('moving.gif', moving);
    expect((await sharp((await library.waitForSharedCopy(key)).bytes).metadata()).pages).toBe(3);
    expect((await sharp((await library.waitForThumbnail(key)).bytes).metadata()).format).toBe('jpeg');
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('renditions apply and omit the EXIF orientation %i', async (orientation) => {
  const bytes = await createRotatedPicture(orientation);
  const key = await library.uploadFile(`rotated ${orientation}.jpg`, bytes);
  for (const rendition of [await library.waitForThumbnail(key), await library.waitForSharedCopy(key)]) {
    expect(await cornersOf(rendition.bytes)).toBe(UPRIGHT_CORNERS);
    expect((await sharp(rendition.bytes).metadata()).orientation).toBeUndefined();
  }
});

describe('removal of locations', () => {
  test.each([
    [
      'EXIF, XMP, IPTC and comment of a JPEG',
      async () => withIptc(await createPictureWithLocation().jpeg().toBuffer()),
    ],
    ['EXIF and XMP of a PNG', () => createPictureWithLocation().png().toBuffer()],
    ['EXIF and XMP of a WebP', () => createPictureWithLocation().webp().toBuffer()],
    ['EXIF and XMP of a TIFF', () => createPictureWithLocation().tiff().toBuffer()],
    ['EXIF and XMP of an AVIF', () => createPictureWithLocation().avif().toBuffer()],
    [
      'a video appended to a picture',
      async () => Buffer.concat([await createPictureWithLocation().jpeg().toBuffer(), Buffer.from('48.137154')]),
    ],
  ])('renditions contain no location from %s', async (_, make) => {
    const original = await make();
    expect(findTestLocation(original).length).toBeGreaterThan(0);
    const key = await library.uploadFile('withLocation', original);
    for (const rendition of [await library.waitForThumbnail(key), await library.waitForSharedCopy(key)]) {
      expect(findTestLocation(rendition.bytes)).toEqual([]);
      const { exif, xmp, iptc } = await sharp(rendition.bytes).metadata();
      expect({ exif, xmp, iptc }).toEqual({ exif: undefined, xmp: undefined, iptc: undefined });
    }
    // The family's own file is unchanged.
    expect(await library.readBytes(key)).toEqual(original);
  });

  test('the shared copy of a HEIC contains no EXIF', async () => {
    const key = await library.uploadFile('withLocation.heic', await readFile(HEIC_FIXTURE));
    expect((await sharp((await library.waitForSharedCopy(key)).bytes).metadata()).exif).toBeUndefined();
  });
});

describe('files without renditions', () => {
  test.each([
    ['a text', Buffer.from('Liebe Oma')],
    ['an empty file', Buffer.alloc(0)],
    ['a voice message in SILK', Buffer.concat([Buffer.from('\u0002#!SILK_V3'), randomBytes(200)])],
    ['an audio file', Buffer.concat([Buffer.from('#!AMR\n'), randomBytes(200)])],
    ['an HTML page named like a picture', Buffer.from('<html><script>alert(1)</script></html>')],
  ])('%s is shared unchanged and has no thumbnail', async (_, bytes) => {
    const key = await library.uploadFile('picture.jpg', bytes);
    expect(await library.waitForSharedCopy(key)).toMatchObject({ blobKey: key, bytes });
    expect(await library.renditions.find(key, 'THUMBNAIL')).toBeUndefined();
  });

  test('an SVG is never rendered', async () => {
    const svg =
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const key = await library.uploadFile('picture.jpg', Buffer.from(svg));
    expect(await library.renditions.findOrGenerate(key, 'THUMBNAIL')).toBeUndefined();
    expect(await library.waitForState(key, 'THUMBNAIL')).toBe('NONE');
  });

  test.each([
    ['a JPEG without pixels', async () => (await createNoisePicture(400, 400).jpeg().toBuffer()).subarray(0, 150)],
    // Its decoder would return a black picture.
    ['half a PNG', async () => (await createNoisePicture(400, 400).png().toBuffer()).subarray(0, 9_000)],
  ])('%s is never shared, not even unchanged', async (kind, make) => {
    const key = await library.uploadFile(kind, await make());
    expect(await library.waitForState(key, 'THUMBNAIL')).toBe('FAILED');
    expect(await library.renditions.findOrGenerate(key, 'SHARED')).toBeUndefined();
    expect(await library.waitForState(key, 'SHARED')).toBe('FAILED');
  });
});

test('equal pictures share a blob and its thumbnail; the second picture gets its capture time immediately', async () => {
  const bytes = await createPictureWithLocation().jpeg({ quality: 70 }).toBuffer();
  const key = await library.uploadFile('first.jpg', bytes);
  await library.waitForThumbnail(key);
  expect(await library.uploadFile('second.jpg', bytes)).toBe(key);
  expect(await library.captureTimesOf(key)).toEqual([CAPTURED_AT, CAPTURED_AT]);
});

test('findMany returns the existing renditions of many sources and omits missing renditions', async () => {
  const keys = await Promise.all(
    [0, 1, 2].map(async (index) =>
      library.uploadFile(
        `many ${index}`,
        await createCornersPicture(30 + index, 30)
          .png()
          .toBuffer(),
      ),
    ),
  );
  const text = await library.uploadFile('many.txt', Buffer.from('many'));
  for (const key of keys) await library.waitForState(key, 'THUMBNAIL');
  const found = await library.renditions.findMany([...keys, text], 'THUMBNAIL');
  expect([...found.keys()].sort()).toEqual([...keys].sort());
  expect(await library.renditions.findMany([], 'THUMBNAIL')).toEqual(new Map());
});

function createPictureWithLocation() {
  return createCornersPicture().withExif(TEST_LOCATION_EXIF).withXmp(TEST_LOCATION_XMP);
}

/** Creates a picture as a camera in this orientation stores it: it is upright once the orientation is applied. */
async function createRotatedPicture(orientation: number): Promise<Buffer> {
  const inverse: Record<number, { angle: number; flop: boolean }> = {
    1: { angle: 0, flop: false },
    2: { angle: 0, flop: true },
    3: { angle: 180, flop: false },
    4: { angle: 180, flop: true },
    5: { angle: 90, flop: true },
    6: { angle: 270, flop: false },
    7: { angle: 270, flop: true },
    8: { angle: 90, flop: false },
  };
  const { angle = 0, flop = false } = inverse[orientation] ?? {};
  const rotated = await createCornersPicture().rotate(angle).png().toBuffer();
  const flipped = sharp(rotated).flop(flop);
  return flipped.withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
}
