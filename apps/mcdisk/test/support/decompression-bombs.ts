import { crc32, deflateSync } from 'node:zlib';

/** Small files that claim or contain far more pixels or data than a renderer may decode. */
export const DECOMPRESSION_BOMBS: readonly (readonly [name: string, create: () => Buffer])[] = [
  ['a PNG with 900 real megapixels', () => createPng(30_000, 30_000, { bitDepth: 1, rows: 30_000 })],
  ['a PNG that only claims to be huge', () => createPng(2_000_000_000, 2_000_000_000, { bitDepth: 8, rows: 1 })],
  ['a PNG with 200 MB of text', () => createPng(1, 1, { bitDepth: 8, rows: 1, textBytes: 200_000_000 })],
  ['a PNG with far more rows than declared', () => createPng(16, 16, { bitDepth: 8, rows: 12_000_000 })],
  ['a GIF of 60,000 × 60,000', () => createGif(60_000, 60_000, 1)],
  ['a GIF of 30,000 frames', () => createGif(2_000, 2_000, 30_000)],
  ['a JPEG of 65,500 × 65,500', () => createJpeg(65_500, 65_500)],
  ['a WebP of 16,383 × 16,383', () => createWebp(16_383, 16_383)],
  ['a TIFF of 4 gigapixels', () => createTiff(65_000, 65_000)],
];

/**
 * Creates a black PNG.
 * @param width declared width in pixels
 * @param height declared height in pixels, which may differ from the number of `rows` in the data
 */
export function createPng(
  width: number,
  height: number,
  { bitDepth, rows, textBytes = 0 }: { bitDepth: number; rows: number; textBytes?: number },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, 0, 0, 0, 0], 8);
  const row = Math.min(Math.ceil((width * bitDepth) / 8), 100_000) + 1;
  const data = deflateSync(Buffer.alloc(Math.min(row * rows, 700_000_000)));
  const chunks = [pngChunk('IHDR', header)];
  if (textBytes > 0) {
    chunks.push(
      pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(textBytes))])),
    );
  }
  chunks.push(pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0)));
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

function pngChunk(type: string, body: Buffer): Buffer {
  const typeAndBody = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  checksum.writeUInt32BE(crc32(typeAndBody));
  return Buffer.concat([length, typeAndBody, checksum]);
}

function createGif(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const screen = Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]);
  // Each frame covers the whole screen of the GIF but contains the data of one pixel.
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x44, 1, 0])]);
  return Buffer.concat([screen, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

function createJpeg(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const table = Buffer.concat([Buffer.from('ffdb004300', 'hex'), Buffer.alloc(64, 1)]);
  const huffman = Buffer.concat([
    Buffer.from('ffc4001400', 'hex'),
    Buffer.from([1]),
    Buffer.alloc(15),
    Buffer.from([0]),
  ]);
  const scan = Buffer.from('ffda0008010100003f00', 'hex');
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    table,
    frame,
    huffman,
    scan,
    Buffer.alloc(1_000),
    Buffer.from('ffd9', 'hex'),
  ]);
}

function createWebp(width: number, height: number): Buffer {
  const key = Buffer.from('300100009d012a00000000', 'hex');
  key.writeUInt16LE(width, 7);
  key.writeUInt16LE(height, 9);
  const body = Buffer.concat([key, Buffer.alloc(101)]);
  const head = Buffer.alloc(20);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(body.length + 12, 4);
  head.write('WEBPVP8 ', 8, 'latin1');
  head.writeUInt32LE(body.length, 16);
  return Buffer.concat([head, body]);
}

function createTiff(width: number, height: number): Buffer {
  const entries = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, height],
    [279, 4_000_000_000],
  ];
  const head = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  entries.forEach(([tag = 0, value = 0], index) => {
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  });
  return head;
}
