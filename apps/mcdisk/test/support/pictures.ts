import sharp, { type Exif, type Sharp } from 'sharp';

/** The location that tests write into metadata, as text and as the numerators of EXIF fractions. */
const TEST_LOCATION = {
  texts: ['48.137154', '11.576124', '48,8.229240N', 'Marienplatz-7531', '+48.1371+011.5761+519'],
  numbers: [8_229_247, 34_567_447, 519_731],
};

/** The test location as EXIF for sharp. */
export const TEST_LOCATION_EXIF: Exif = {
  IFD0: { Make: 'Marienplatz-7531', Copyright: 'Marienplatz-7531' },
  IFD2: { DateTimeOriginal: '2026:05:17 14:30:05', OffsetTimeOriginal: '+08:00', UserComment: '48.137154' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '48/1 8/1 8229247/1000000',
    GPSLongitudeRef: 'E',
    GPSLongitude: '11/1 34/1 34567447/1000000',
    GPSAltitude: '519731/1000',
  },
};

export const TEST_LOCATION_XMP =
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="48,8.229240N" exif:City="Marienplatz-7531"` +
  ` exif:Place="48.137154 11.576124"/></rdf:RDF></x:xmpmeta>`;

/**
 * Creates a picture whose corners are red, green, blue and white, clockwise from the top left. `cornersOf` detects a
 * rotation by the order of these colours.
 */
export function createCornersPicture(width = 64, height = 48): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [left, top] = [x < width / 2, y < height / 2];
      const colour = top ? (left ? [255, 0, 0] : [0, 255, 0]) : left ? [255, 255, 255] : [0, 0, 255];
      pixels.set(colour, (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Returns the names of the corner colours, clockwise from the top left. */
export async function cornersOf(picture: Uint8Array): Promise<string> {
  const { data, info } = await sharp(picture)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [right, bottom] = [info.width - 4, info.height - 4];
  return [
    [3, 3],
    [right, 3],
    [right, bottom],
    [3, bottom],
  ]
    .map(([x = 0, y = 0]) => {
      const at = (y * info.width + x) * info.channels;
      const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
      return r > 200 && g > 200 && b > 200 ? 'white' : r > 150 ? 'red' : g > 150 ? 'green' : b > 150 ? 'blue' : 'dark';
    })
    .join(' ');
}

/** Creates a picture of random pixels, which takes long to encode. */
export function createNoisePicture(width: number, height: number): Sharp {
  return sharp({
    create: { width, height, channels: 3, background: '#888888', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });
}

/** Returns the parts of the test location that the bytes contain. */
export function findTestLocation(bytes: Buffer): string[] {
  const numbers = TEST_LOCATION.numbers.flatMap((number) => {
    const [little, big] = [Buffer.alloc(4), Buffer.alloc(4)];
    little.writeUInt32LE(number);
    big.writeUInt32BE(number);
    return [
      { name: `${number} LE`, bytes: little },
      { name: `${number} BE`, bytes: big },
    ];
  });
  const texts = TEST_LOCATION.texts.flatMap((text) => [
    { name: text, bytes: Buffer.from(text, 'latin1') },
    { name: `${text} UTF-16`, bytes: Buffer.from(text, 'utf16le') },
  ]);
  return [...numbers, ...texts].filter((trace) => bytes.includes(trace.bytes)).map(({ name }) => name);
}

/** Adds IPTC with the test location to a JPEG: an APP13 segment as Photoshop writes it, and a comment. */
export function withIptc(jpeg: Buffer): Buffer {
  const city = Buffer.from('Marienplatz-7531', 'latin1');
  const dataset = Buffer.concat([Buffer.from([0x1c, 0x02, 0x5a, 0, city.length]), city]);
  const resource = Buffer.concat([
    Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0', 'latin1'),
    encodeLength(dataset, 4),
    dataset,
  ]);
  return Buffer.concat([jpeg.subarray(0, 2), jpegSegment(0xed, resource), jpegSegment(0xfe, city), jpeg.subarray(2)]);
}

function jpegSegment(marker: number, body: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, body]);
}

/** Returns the number of bytes as a big-endian integer of `width` bytes. */
function encodeLength(bytes: Buffer, width: number): Buffer {
  const length = Buffer.alloc(width);
  length.writeUIntBE(bytes.length, 0, width);
  return length;
}
