import { describe, expect, test } from '@jest/globals';
import { fromMapPosition, toMapPosition, type Position } from './coordinates.js';
import { circleAround, distanceBetween, isInside, moveBy } from './geometry.js';

/** Places in WGS 84 and where maps in GCJ-02 show them, as published by independent implementations. */
const KNOWN_POINTS: readonly [name: string, wgs84: Position, gcj02: Position][] = [
  ['Beijing', [116.377817, 39.911954], [116.384047, 39.913345]],
  ['Shanghai', [121.5272106, 31.1774276], [121.5315419, 31.175304]],
  ['Shenzhen', [113.912316, 22.543847], [113.9171765, 22.5407961]],
];
const DEGREES_OF_A_METRE = 0.00001;

describe('toMapPosition', () => {
  test.each(KNOWN_POINTS)('shifts %s to GCJ-02 within a metre', (_, wgs84, gcj02) => {
    const [longitude, latitude] = toMapPosition(wgs84, 'gcj02');
    expect(Math.abs(longitude - gcj02[0])).toBeLessThan(DEGREES_OF_A_METRE);
    expect(Math.abs(latitude - gcj02[1])).toBeLessThan(DEGREES_OF_A_METRE);
  });

  test('does not shift a place outside of China', () => {
    expect(toMapPosition([2.3522, 48.8566], 'gcj02')).toEqual([2.3522, 48.8566]);
  });

  test('does not shift a place on a map in WGS 84', () => {
    expect(toMapPosition([121.4737, 31.2304], 'wgs84')).toEqual([121.4737, 31.2304]);
  });
});

describe('fromMapPosition', () => {
  test.each(KNOWN_POINTS)('is the inverse of toMapPosition within a metre for %s', (_, wgs84) => {
    const back = fromMapPosition(toMapPosition(wgs84, 'gcj02'), 'gcj02');
    expect(distanceBetween(back, wgs84)).toBeLessThan(1);
  });
});

describe('geometry', () => {
  test('measures a degree of latitude', () => {
    expect(distanceBetween([0, 0], [0, 1])).toBeCloseTo(111_195, -1);
  });

  test('puts the corners of a circle at its radius', () => {
    for (const corner of circleAround([121.4737, 31.2304], 150)) {
      expect(distanceBetween([121.4737, 31.2304], corner)).toBeCloseTo(150, 3);
    }
  });

  test('moves to the east without changing the latitude', () => {
    const [longitude, latitude] = moveBy([0, 0], 111_195, Math.PI / 2);
    expect(longitude).toBeCloseTo(1, 3);
    expect(latitude).toBeCloseTo(0, 6);
  });

  test('tells positions inside a concave polygon from those in its notch', () => {
    const polygon: Position[] = [
      [0, 0],
      [4, 0],
      [4, 4],
      [2, 1],
      [0, 4],
    ];
    expect(isInside([1, 1], polygon)).toBe(true);
    expect(isInside([2, 3], polygon)).toBe(false);
    expect(isInside([5, 1], polygon)).toBe(false);
  });
});
