import { describe, expect, test } from '@jest/globals';
import type { FencePolygon } from '@family-watch/domain/locations/contracts/fence';
import { validateShape } from './validate-shape.js';

/** Creates a polygon from corners `east,north` of an origin, in thousandths of a degree (about 100 m). */
function createPolygon(corners: string, [east, north] = [121.47, 31.23]): FencePolygon {
  return {
    points: corners
      .split(' ')
      .map((corner) => corner.split(',').map(Number))
      .map(([x = 0, y = 0]) => ({
        latitude: (north + y / 1_000).toFixed(6),
        longitude: (((east + x / 1_000 + 540) % 360) - 180).toFixed(6),
      })),
  };
}
const violations = (polygon: FencePolygon | null, circle = null as null | { latitude: string }) => {
  const shape = { polygon, circle: circle && { longitude: '0', radius: 100, ...circle } };
  return validateShape(shape).map(({ field, rule }) => `${field} ${rule}`);
};

describe('validateShape', () => {
  test.each([
    ['a triangle', '0,0 2,0 0,2'],
    ['a square, clockwise', '0,0 0,2 2,2 2,0'],
    ['an L', '0,0 4,0 4,1 1,1 1,4 0,4'],
    ['a corner within an edge', '0,0 1,0 2,0 0,2'],
  ])('accepts a polygon: %s', (_, corners) => {
    expect(violations(createPolygon(corners))).toEqual([]);
    expect(violations(createPolygon(corners, [179.999, -17]))).toEqual([]);
  });

  test.each([
    ['crosses itself', 'polygon isSimple', '0,0 2,2 2,0 0,2'],
    ['crosses itself and has area', 'polygon isSimple', '0,0 4,4 4,0 0,2'],
    ['touches itself', 'polygon isSimple', '0,0 4,0 4,4 2,0 0,4'],
    ['has a spike', 'polygon isSimple', '0,0 4,0 2,0 2,3'],
    ['is flat', 'polygon hasArea', '0,0 2,0 4,0'],
    ['is tiny', 'polygon hasArea', '0,0 0.1,0 0,0.1'],
    ['repeats its first corner', 'polygon.points.3 isDistinct', '0,0 2,0 0,2 0,0'],
    ['is too wide', 'polygon isNotTooWide', '0,0 1500,0 0,5'],
    ['is too high', 'polygon isNotTooWide', '0,0 5,0 0,950'],
    ['spans the Earth', 'polygon isNotTooWide', '0,0 120000,0 240000,1'],
    ['is near a pole', 'polygon.points.2.latitude isAwayFromPoles', '0,0 2,0 0,60000'],
  ])('rejects a polygon that %s', (_, rule, corners) => {
    expect(violations(createPolygon(corners))).toEqual([rule]);
  });

  test('requires exactly one of circle and polygon', () => {
    expect(violations(null)).toEqual(['circle isOneShape']);
    expect(violations(createPolygon('0,0 2,0 0,2'), { latitude: '1' })).toEqual(['circle isOneShape']);
    expect(violations(null, { latitude: '85' })).toEqual([]);
    expect(violations(null, { latitude: '-85.0001' })).toEqual(['circle.latitude isAwayFromPoles']);
  });

  test('detects equal corners whose coordinates are written differently', () => {
    const corners = [
      ['1.0', '180'],
      ['1', '-180'],
      ['1.01', '179.99'],
    ].map(([latitude = '', longitude = '']) => ({ latitude, longitude }));
    expect(violations({ points: corners })).toEqual(['polygon.points.1 isDistinct']);
  });
});
