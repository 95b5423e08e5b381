import { describe, expect, test } from '@jest/globals';
import { chunkLengths } from './mp4-file.js';

const uint32Bytes = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer).swap32();

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
