import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { BufferedSourceReader } from './buffered-source-reader.js';

/** Chunks of these sizes, whose bytes count up. */
function chunksOf(sizes: readonly number[]): Buffer[] {
  let next = 0;
  return sizes.map((size) => Buffer.from(Array.from({ length: size }, () => next++ % 251)));
}

async function piecesOf(reader: BufferedSourceReader): Promise<Buffer[][]> {
  const pieces: Buffer[][] = [];
  for (let piece = await reader.read(); piece; piece = await reader.read()) pieces.push(piece);
  return pieces;
}

test('chunks of single bytes cost no more memory than large ones', async () => {
  const chunks = chunksOf(Array.from({ length: 100_000 }, () => 1));
  const pieces = await piecesOf(new BufferedSourceReader(Readable.from(chunks), 100_000));
  expect(Buffer.concat(pieces.flat())).toEqual(Buffer.concat(chunks));
  expect(pieces.flat().length).toBeLessThan(40);
});

test('small and large chunks stay in their order, over the limit too', async () => {
  const chunks = chunksOf([1, 70_000, 3, 5, 4_095, 4_096, 16_000, 2, 0, 2_000_000, 9, 4_000, 4_000, 4_000, 4_000, 7]);
  const whole = Buffer.concat(chunks);
  const reader = new BufferedSourceReader(Readable.from(chunks), whole.length - 3);
  const pieces: Buffer[] = [];
  const read = async () => {
    for (let piece = await reader.read(); piece; piece = await reader.read()) pieces.push(...piece);
  };
  await expect(read()).rejects.toThrow('More bytes came than were announced');
  expect(Buffer.concat(pieces)).toEqual(whole.subarray(0, -3));
});

test('what was handed over is not written to again', async () => {
  const source = new Readable({ read: () => undefined });
  const reader = new BufferedSourceReader(source, 1_000);
  source.push(Buffer.from('first'));
  const first = Buffer.concat((await reader.read()) ?? []);
  const held = first.subarray();
  source.push(Buffer.from('second'));
  source.push(null);
  expect(Buffer.concat((await piecesOf(reader)).flat()).toString()).toBe('second');
  expect(held.toString()).toBe('first');
});
