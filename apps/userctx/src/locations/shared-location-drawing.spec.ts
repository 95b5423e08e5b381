import { describe, expect, test } from '@jest/globals';
import { drawLocation } from './shared-location-drawing.js';

describe('drawLocation', () => {
  test.each([
    // The bar is never longer than 100 units, and the circle has 80 units from 25 m on.
    [5, '20 m', 'r="16"', 'h64'],
    [20, '20 m', 'r="64"', 'h64'],
    [100, '100 m', 'r="80"', 'h80'],
    [3_000, '2 km', 'r="80"', 'h53'],
    [0, '20 m', 'r="1"', 'h64'],
  ])('draws an accuracy of %d m with a bar of %s', (radius, length, circle, bar) => {
    const drawing = drawLocation(radius);
    expect(drawing).toContain(`>${length}</text>`);
    expect(drawing).toContain(`cy="120" ${circle}/>`);
    expect(drawing).toContain(`M16 218v6${bar}v-6`);
    expect(drawing).toContain(`within ${radius} m`);
  });
});
