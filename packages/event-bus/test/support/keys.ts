import { partitionOf } from '../../src/partition.js';

/** Returns another key of the same partition. */
export function otherKeyInSamePartition(key: string): string {
  for (let n = 0; ; n++) {
    if (partitionOf(`neighbour-${n}`) === partitionOf(key)) return `neighbour-${n}`;
  }
}
