import { randomFillSync } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 320;
const HEIGHT = 240;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Returns a PNG (ISO/IEC 15948) of random grey pixels, so that no two pictures are equal. */
export function createPicture(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits of grey per pixel.
  header[8] = 8;
  const rows = randomFillSync(Buffer.alloc((WIDTH + 1) * HEIGHT));
  // Filter type 0 at the start of a row: the pixels are stored unchanged.
  for (let row = 0; row < HEIGHT; row += 1) rows[row * (WIDTH + 1)] = 0;
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}
