import { describe, expect, test } from '@jest/globals';
import { createRoute, positionAfter } from './route.js';

const METRES_OF_A_DEGREE = 111_195;
const ROUTE = createRoute([
  [0, 0],
  [0, 1],
  [0, 1],
  [0, 3],
]);

describe('createRoute', () => {
  test('measures the whole route', () => {
    expect(ROUTE.length / METRES_OF_A_DEGREE).toBeCloseTo(3, 4);
    expect(createRoute([]).length).toBe(0);
  });
});

describe('positionAfter', () => {
  test.each([
    ['at the beginning', 0, 0],
    ['between two points', 0.5, 0.5],
    ['after two points at the same place', 2, 2],
    ['beyond the end', 9, 3],
  ])('returns the position %s', (_, degrees, latitude) => {
    const [longitude, found] = positionAfter(ROUTE, degrees * METRES_OF_A_DEGREE) ?? [];
    expect(longitude).toBe(0);
    expect(found).toBeCloseTo(latitude, 4);
  });

  test('returns nothing for an empty route', () => {
    expect(positionAfter(createRoute([]), 1)).toBeUndefined();
  });
});
