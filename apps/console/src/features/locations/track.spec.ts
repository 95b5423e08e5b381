import { describe, expect, test } from '@jest/globals';
import { MAX_GAP_MS, momentAt, splitAtGaps, type TrackPoint } from './track.js';

const pointAt = (positionTime: number, longitude: string): TrackPoint => ({
  positionTime,
  longitude,
  latitude: '31',
  radius: 10,
  pointType: 1,
  flags: [],
  receivedAt: positionTime,
});
const GAP_END = 1_000 + MAX_GAP_MS + 1;
const TRACK = [pointAt(0, '121'), pointAt(1_000, '122'), pointAt(GAP_END, '123')];

describe('momentAt', () => {
  test('returns a position on the line between two points', () => {
    expect(momentAt(TRACK, 250)).toMatchObject({ position: [121.25, 31], gapUntil: undefined });
  });

  test('stays at the last point before a gap', () => {
    expect(momentAt(TRACK, 2_000)).toMatchObject({ position: [122, 31], gapUntil: GAP_END });
  });

  test('returns the first and last point outside of the track', () => {
    expect(momentAt(TRACK, -1)?.position).toEqual([121, 31]);
    expect(momentAt(TRACK, GAP_END + 1)?.position).toEqual([123, 31]);
    expect(momentAt([], 0)).toBeUndefined();
  });
});

describe('splitAtGaps', () => {
  test('separates points with a gap between them', () => {
    expect(splitAtGaps(TRACK).map(({ length }) => length)).toEqual([2, 1]);
  });
});
