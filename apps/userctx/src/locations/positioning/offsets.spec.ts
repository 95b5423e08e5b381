import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { offsetLength, translate, offsetBetween } from './offsets.js';

const point = fc.record({
  latitude: fc.double({ min: -80, max: 80, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const metres = fc.double({ min: -50_000, max: 50_000, noNaN: true });

describe('plane', () => {
  test('offsetBetween returns the offset that translate has applied, also across the date line', () => {
    fc.assert(
      fc.property(point, metres, metres, (from, east, north) => {
        const back = offsetBetween(from, translate(from, { east, north }));
        expect(Math.abs(back.east - east)).toBeLessThan(0.01);
        expect(Math.abs(back.north - north)).toBeLessThan(0.01);
      }),
    );
  });

  test('offsetLength of offsetBetween returns the distance on the ground', () => {
    const vienna = { latitude: 48.2082, longitude: 16.3738 };
    const bratislava = { latitude: 48.1486, longitude: 17.1077 };
    expect(offsetLength(offsetBetween(vienna, bratislava))).toBeGreaterThan(54_500);
    expect(offsetLength(offsetBetween(vienna, bratislava))).toBeLessThan(55_200);
    const [west, east] = [179.999, -179.999].map((longitude) => ({ latitude: 0, longitude }));
    expect(offsetLength(offsetBetween(west!, east!))).toBeCloseTo(222.4, 0);
  });

  test('translate returns valid coordinates, even beyond a pole', () => {
    const top = translate({ latitude: 89.999, longitude: 0 }, { east: 1_000_000, north: 1_000_000 });
    expect(top.latitude).toBe(90);
    expect(Math.abs(top.longitude)).toBeLessThanOrEqual(180);
  });
});
