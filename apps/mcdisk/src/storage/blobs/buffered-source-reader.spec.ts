import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { BufferedSourceReader } from './buffered-source-reader.js';

/** Creates chunks of the given sizes that together contain a known sequence of bytes. */
function chunksOf(sizes: readonly number[]): Buffer[] {
  let next = 0;
  return sizes.map((size) => Buffer.from(Array.from({ length: size }, () => next++ % 251)));
}

async function readAll(reader: BufferedSourceReader): Promise<Buffer[][]> {
  const batches: Buffer[][] = [];
  for (let batch = await reader.read(); batch; batch = await reader.read()) batches.push(batch);
  return batches;
}

test('BufferedSourceReader gathers chunks of single bytes into a few large buffers', async () => {
  const chunks = chunksOf(Array.from({ length: 100_000 }, () => 1));
  const batches = await readAll(new BufferedSourceReader(Readable.from(chunks), 100_000));
  expect(Buffer.concat(batches.flat())).toEqual(Buffer.concat(chunks));
  expect(batches.flat().length).toBeLessThan(40);
});

test('BufferedSourceReader returns small and large chunks in order, up to the byte limit', async () => {
  const chunks = chunksOf([1, 70_000, 3, 5, 4_095, 4_096, 16_000, 2, 0, 2_000_000, 9, 4_000, 4_000, 4_000, 4_000, 7]);
  const whole = Buffer.concat(chunks);
  const reader = new BufferedSourceReader(Readable.from(chunks), whole.length - 3);
  const batches: Buffer[] = [];
  const read = async () => {
    for (let batch = await reader.read(); batch; batch = await reader.read()) batches.push(...batch);
  };
  await expect(read()).rejects.toThrow('The source sent more bytes than announced');
  expect(Buffer.concat(batches)).toEqual(whole.subarray(0, -3));
});

test('BufferedSourceReader does not overwrite buffers that it has returned', async () => {
  const source = new Readable({ read: () => undefined });
  const reader = new BufferedSourceReader(source, 1_000);
  source.push(Buffer.from('first'));
  const first = Buffer.concat((await reader.read()) ?? []);
  const returned = first.subarray();
  source.push(Buffer.from('second'));
  source.push(null);
  expect(Buffer.concat((await readAll(reader)).flat()).toString()).toBe('second');
  expect(returned.toString()).toBe('first');
});
