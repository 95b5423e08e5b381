import { partitionOf } from '../../src/partition.js';

/** Returns a key of the same partition that differs from `key`. */
export function otherKeyInSamePartition(key: string): string {
  for (let n = 0; ; n++) {
    if (partitionOf(`neighbour-${n}`) === partitionOf(key)) return `neighbour-${n}`;
  }
}
