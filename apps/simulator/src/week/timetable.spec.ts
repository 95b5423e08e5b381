import { describe, expect, test } from '@jest/globals';
import { distanceInMetres } from '../track/journey.js';
import { fixesBetween, TIMETABLE_OF_LEO, TIMETABLE_OF_MIA } from './timetable.js';

const TIME_ZONE = 'Asia/Shanghai';
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** A Monday at midnight. */
const MONDAY = Date.parse('2026-11-16T00:00:00+08:00');

describe.each([
  ['Mia', TIMETABLE_OF_MIA],
  ['Leo', TIMETABLE_OF_LEO],
])('fixesBetween for %s', (_, timetable) => {
  test('returns a week of fixes in time order that a walking child can reach', () => {
    const fixes = fixesBetween(timetable, TIME_ZONE, MONDAY, MONDAY + WEEK_MS);
    const coordinates = fixes.map(({ latitude, longitude }) => ({
      latitude: Number(latitude),
      longitude: Number(longitude),
    }));
    const tooFast = fixes.slice(1).filter(({ positionTime, radius }, index) => {
      const [before, from, to] = [fixes[index], coordinates[index], coordinates[index + 1]];
      if (!before || !from || !to) return true;
      const metres = distanceInMetres(from, to) - radius - before.radius;
      return positionTime <= before.positionTime || metres / ((positionTime - before.positionTime) / 1_000) > 2;
    });
    expect(tooFast).toEqual([]);
    expect(new Set(fixes.map(({ pointType }) => pointType))).toEqual(new Set([1, 2, 3]));
  });

  test('returns the same fixes for a period and for its parts', () => {
    const noon = MONDAY + 12 * HOUR_MS;
    const week = fixesBetween(timetable, TIME_ZONE, MONDAY, MONDAY + WEEK_MS);
    expect([
      ...fixesBetween(timetable, TIME_ZONE, MONDAY, noon),
      ...fixesBetween(timetable, TIME_ZONE, noon, MONDAY + WEEK_MS),
    ]).toEqual(week);
  });
});
