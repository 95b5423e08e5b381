import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clustersWithin, estimateLocation, type LocatingNetwork } from './location-estimate.js';
import { offsetLength, translate, offsetBetween } from './offsets.js';

const ORIGIN = { latitude: 45.38, longitude: 14.14 };
const metres = fc.double({ min: -1_500, max: 1_500, noNaN: true });
const points = fc.array(
  fc.record({ east: metres, north: metres }).map((offset) => translate(ORIGIN, offset)),
  { maxLength: 15 },
);

describe('clustersWithin', () => {
  test('partitions the points so that no two points of a cluster are further apart than the diameter', () => {
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

  test('returns no two clusters that together would fit into the diameter', () => {
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

function createNetwork(east: number, extra: Partial<LocatingNetwork> = {}): LocatingNetwork {
  const distribution = { ...translate(ORIGIN, { east, north: 0 }), weight: 20, squaredDistanceSum: 20 * 900 };
  return { kind: 'WIFI', signalStrength: -60, ...distribution, ...extra };
}
const createCell = (east: number) => createNetwork(east, { kind: 'CELL', squaredDistanceSum: 20 * 250_000 });

describe('estimateLocation', () => {
  test('returns null for a single access point and for two that are too far apart', () => {
    expect(estimateLocation([])).toBeNull();
    expect(estimateLocation([createNetwork(0)])).toBeNull();
    expect(estimateLocation([createNetwork(0), createNetwork(600)])).toBeNull();
    expect(estimateLocation([createNetwork(0), createNetwork(400)])).toMatchObject({ kind: 'WIFI' });
  });

  test('returns a location closer to the network with the stronger signal', () => {
    const found = estimateLocation([
      createNetwork(0, { signalStrength: -50 }),
      createNetwork(100, { signalStrength: -80 }),
    ]);
    expect(offsetLength(offsetBetween(ORIGIN, found!))).toBeLessThan(10);
  });

  test('ignores a few access points that have moved when more access points agree', () => {
    const many = [0, 20, 40].map((east) => createNetwork(east, { signalStrength: -85 }));
    const moved = [5_000, 5_010].map((east) => createNetwork(east, { signalStrength: -30 }));
    expect(offsetLength(offsetBetween(ORIGIN, estimateLocation([...moved, ...many])!))).toBeLessThan(50);
  });

  test('returns the location of the cell if the access points are too far from the cell', () => {
    const together = [createNetwork(0), createNetwork(10)];
    expect(estimateLocation([...together, createCell(5_000)])).toMatchObject({ kind: 'WIFI' });
    expect(estimateLocation([...together, createCell(60_000)])).toMatchObject({ kind: 'CELL' });
  });

  test('uses the cell of a device that observes an area, a cell and a single access point', () => {
    const area = createNetwork(0, { kind: 'AREA' });
    expect(estimateLocation([area, createCell(0), createNetwork(0)])).toMatchObject({ kind: 'CELL' });
  });

  test('returns a radius of at least 1 km for a cell and of at least 10 km for an area', () => {
    const area = createNetwork(0, { kind: 'AREA' });
    expect(estimateLocation([area])).toMatchObject({ kind: 'AREA', radius: expect.any(Number) });
    expect(estimateLocation([area])!.radius).toBeGreaterThanOrEqual(10_000);
    expect(estimateLocation([createCell(0)])!.radius).toBeGreaterThanOrEqual(1_000);
  });

  test('returns a smaller radius the more networks agree, but at least twenty metres', () => {
    const radius = (count: number) => estimateLocation(Array.from({ length: count }, () => createNetwork(0)))!.radius;
    expect(radius(2)).toBeGreaterThan(radius(4));
    expect(radius(4)).toBeGreaterThan(radius(10));
    const exact = Array.from({ length: 10 }, () => createNetwork(0, { squaredDistanceSum: 0, weight: 200 }));
    expect(estimateLocation(exact)!.radius).toBeGreaterThanOrEqual(20);
  });

  test('returns the same circle for any order of the networks', () => {
    const observed = fc.array(
      fc.record({ east: fc.integer({ min: -200, max: 200 }), signalStrength: fc.integer({ min: -95, max: -30 }) }),
      { minLength: 2, maxLength: 12 },
    );
    fc.assert(
      fc.property(observed, (all) => {
        const networks = all.map(({ east, signalStrength }) => createNetwork(east, { signalStrength }));
        const [one, other] = [estimateLocation(networks)!, estimateLocation(networks.toReversed())!];
        expect(offsetLength(offsetBetween(one, other))).toBeLessThan(0.1);
        expect(Math.abs(one.radius - other.radius)).toBeLessThan(0.1);
      }),
    );
  });
});
