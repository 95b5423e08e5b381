import { describe, expect, test } from '@jest/globals';
import { presenceIn } from './shape.js';

const SCHOOL = { latitude: '31.2304', longitude: '121.4737' };
const fixAt = (latitude: string, radius: number) => ({
  ...SCHOOL,
  latitude,
  radius,
  positionTime: 0,
  pointType: 1 as const,
});

describe('presenceIn', () => {
  const circle = { circle: { ...SCHOOL, radius: 150 }, polygon: null };
  const square = {
    circle: null,
    polygon: {
      points: [
        { latitude: '31.2294', longitude: '121.4727' },
        { latitude: '31.2294', longitude: '121.4747' },
        { latitude: '31.2314', longitude: '121.4747' },
        { latitude: '31.2314', longitude: '121.4727' },
      ],
    },
  };

  test.each([
    ['circle', circle],
    ['polygon', square],
  ])('returns whether a location is in a %s', (_, fence) => {
    expect(presenceIn(fence, fixAt('31.2304', 20))).toBe('inside');
    expect(presenceIn(fence, fixAt('31.2304', 500))).toBe('uncertain');
    expect(presenceIn(fence, fixAt('31.2404', 20))).toBe('outside');
  });
});
