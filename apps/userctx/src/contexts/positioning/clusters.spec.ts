import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clustersWithin } from './clusters.js';
import { offsetLength, translate, offsetBetween } from './plane.js';

const ORIGIN = { latitude: 45.38, longitude: 14.14 };
const metres = fc.double({ min: -1_500, max: 1_500, noNaN: true });
const points = fc.array(
  fc.record({ east: metres, north: metres }).map((offset) => translate(ORIGIN, offset)),
  { maxLength: 15 },
);

describe('clustersWithin', () => {
  it('partitions the points so that no two points of a cluster are further apart than the diameter', () => {
    fc.assert(
      fc.property(points, (all) => {
        const clusters = clustersWithin(all, 500);
        expect(clusters.flat()).toHaveLength(all.length);
        expect(new Set(clusters.flat())).toEqual(new Set(all));
        for (const cluster of clusters) {
          for (const one of cluster) {
            for (const other of cluster) expect(offsetLength(offsetBetween(one, other))).toBeLessThanOrEqual(500);
          }
        }
      }),
    );
  });

  it('returns no two clusters that together would fit into the diameter', () => {
    fc.assert(
      fc.property(points, (all) => {
        const clusters = clustersWithin(all, 500);
        clusters.forEach((one, index) => {
          for (const other of clusters.slice(index + 1)) {
            const widest = Math.max(...one.flatMap((a) => other.map((b) => offsetLength(offsetBetween(a, b)))));
            expect(widest).toBeGreaterThan(500);
          }
        });
      }),
    );
  });
});
