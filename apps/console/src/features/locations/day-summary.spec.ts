import { describe, expect, test } from '@jest/globals';
import { travelledDistance } from './day-summary.js';
import { MAX_GAP_MS, type TrackPoint } from './track.js';

const MINUTE_MS = 60_000;
/** Length of 0.01 degrees of a meridian. Metres. */
const HUNDREDTH = 1_112;

const pointAt = (minute: number, latitude: number): TrackPoint => ({
  positionTime: minute * MINUTE_MS,
  latitude: String(latitude),
  longitude: '121',
  radius: 10,
  pointType: 1,
  flags: [],
  receivedAt: minute * MINUTE_MS,
});
const stay = (from: number, to: number, latitude: number) => ({
  ...{ from: from * MINUTE_MS, to: to * MINUTE_MS },
  ...{ latitude: String(latitude), longitude: '121', radius: 50 },
});

describe('travelledDistance', () => {
  test('adds the distances between the points, there and back', () => {
    const there = [pointAt(0, 31), pointAt(5, 31.01), pointAt(10, 31.02)];
    expect(travelledDistance(there, [])).toBeCloseTo(2 * HUNDREDTH, -1);
    expect(travelledDistance([...there, pointAt(15, 31)], [])).toBeCloseTo(4 * HUNDREDTH, -1);
  });

  test('counts a stay as its centre, from which the way goes on', () => {
    const points = [
      pointAt(0, 31),
      pointAt(5, 31.0102),
      pointAt(10, 31.0098),
      pointAt(15, 31.0101),
      pointAt(20, 31.02),
    ];
    expect(travelledDistance(points, [stay(5, 15, 31.01)])).toBeCloseTo(2 * HUNDREDTH, -1);
    expect(travelledDistance(points, [])).toBeGreaterThan(2 * HUNDREDTH + 50);
  });

  test('counts nothing between points that are far apart in time', () => {
    const minutes = MAX_GAP_MS / MINUTE_MS + 1;
    expect(travelledDistance([pointAt(0, 31), pointAt(minutes, 31.5), pointAt(minutes + 1, 31.51)], [])).toBeCloseTo(
      HUNDREDTH,
      -1,
    );
  });

  test('is zero without points', () => {
    expect(travelledDistance([], [])).toBe(0);
    expect(travelledDistance([pointAt(0, 31)], [])).toBe(0);
  });
});
