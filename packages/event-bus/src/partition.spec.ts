import { describe, expect, test } from '@jest/globals';
import { PARTITIONS, partitionOf } from './partition.js';

describe('partitionOf', () => {
  // FNV-1a reference values: '' = 811c9dc5, 'a' = e40c292c, 'foobar' = bf9cf968.
  test.each([
    ['', 0x5],
    ['a', 0xc],
    ['foobar', 0x8],
  ])('returns the partition of the reference FNV-1a hash of %p', (key, partition) => {
    expect(partitionOf(key)).toBe(partition);
  });

  test('hashes UTF-8 bytes, not UTF-16 code units', () => {
    expect(partitionOf('é')).toBe(partitionOf(Buffer.from([0xc3, 0xa9]).toString('utf8')));
    expect(partitionOf('家')).toBeLessThan(PARTITIONS);
  });

  test('distributes family ids evenly', () => {
    const counts = new Array<number>(PARTITIONS).fill(0);
    for (let id = 0; id < 16_000; id++) {
      const partition = partitionOf(`family-${id}`);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1200);
  });
});
