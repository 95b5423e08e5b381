import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { distanceInMetres, toJourney } from './journey.js';
import type { GpxTrackPoint } from './gpx.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const START_TIME = Date.UTC(2010, 9, 3, 9, 36, 30);
/** Degrees of latitude per metre. */
const DEGREES_PER_METRE = 1 / 111_195;

/** Creates a point `metres` north of the equator. @param time - milliseconds after the start of the track */
function trackPointAt(metres: number, time?: number): GpxTrackPoint {
  return {
    latitude: metres * DEGREES_PER_METRE,
    longitude: 14,
    ...(time === undefined ? {} : { time: START_TIME + time }),
  };
}

function journeyOffsets(...segments: GpxTrackPoint[][]): number[] {
  return toJourney(segments).map(({ offset }) => offset);
}

describe('toJourney', () => {
  test('preserves recorded time differences', () => {
    expect(
      journeyOffsets([trackPointAt(0, 0), trackPointAt(10, 7 * SECOND_MS), trackPointAt(20, 3 * MINUTE_MS)]),
    ).toEqual([0, 7 * SECOND_MS, 3 * MINUTE_MS]);
  });

  test('interpolates the times of points without a time by distance', () => {
    expect(journeyOffsets([trackPointAt(0, 0), trackPointAt(100), trackPointAt(400, 4 * MINUTE_MS)])).toEqual([
      0,
      MINUTE_MS,
      4 * MINUTE_MS,
    ]);
  });

  test('extrapolates the times of points before the first and after the last recorded time at walking pace', () => {
    const [first, second, third, fourth] = journeyOffsets([
      trackPointAt(0),
      trackPointAt(140, 0),
      trackPointAt(280, 100 * SECOND_MS),
      trackPointAt(420),
    ]);
    expect([first, second, third, fourth].map((offset) => Math.round((offset ?? 0) / SECOND_MS))).toEqual([
      0, 100, 200, 300,
    ]);
  });

  test('uses walking pace for a segment without times', () => {
    expect(
      journeyOffsets([trackPointAt(0), trackPointAt(14), trackPointAt(28)]).map((offset) =>
        Math.round(offset / SECOND_MS),
      ),
    ).toEqual([0, 10, 20]);
  });

  test('preserves short pauses between segments, shortens long pauses, and adds driving time before a distant segment', () => {
    expect(journeyOffsets([trackPointAt(0, 0)], [trackPointAt(10, 5 * MINUTE_MS)])).toEqual([0, 5 * MINUTE_MS]);
    expect(journeyOffsets([trackPointAt(0, 0)], [trackPointAt(10, 24 * 60 * MINUTE_MS)])).toEqual([0, 10 * MINUTE_MS]);
    const [, far = 0] = journeyOffsets([trackPointAt(0, 0)], [trackPointAt(15_000, MINUTE_MS)]);
    expect(Math.round(far / SECOND_MS)).toBe(1_000);
  });

  test('appends a segment whose recorded times are before those of the previous segment', () => {
    expect(
      journeyOffsets(
        [trackPointAt(0, MINUTE_MS), trackPointAt(1, 2 * MINUTE_MS)],
        [trackPointAt(2, 0), trackPointAt(3, 30 * SECOND_MS)],
      ),
    ).toEqual([0, MINUTE_MS, MINUTE_MS + SECOND_MS, MINUTE_MS + 31 * SECOND_MS]);
  });

  test('contains every recorded point, with increasing times and at most the maximum speed', () => {
    const coordinate = fc.double({ min: -1, max: 1, noNaN: true });
    const time = fc.option(fc.integer({ min: 0, max: 86_400_000 }), { nil: undefined });
    const point = fc
      .record({ latitude: coordinate, longitude: coordinate, time })
      .map(({ time: moment, ...place }): GpxTrackPoint => (moment === undefined ? place : { ...place, time: moment }));
    const segments = fc.array(fc.array(point, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(segments, (recorded) => {
        const journey = toJourney(recorded);
        expect(journey.map(({ latitude, longitude }) => [latitude, longitude])).toEqual(
          recorded.flat().map(({ latitude, longitude }) => [latitude, longitude]),
        );
        expect(journey[0]?.offset).toBe(0);
        journey.slice(1).forEach((next, index) => {
          const before = journey[index] ?? next;
          const elapsed = next.offset - before.offset;
          expect(Number.isInteger(next.offset)).toBe(true);
          expect(elapsed).toBeGreaterThanOrEqual(1);
          expect(distanceInMetres(before, next)).toBeLessThanOrEqual((elapsed / SECOND_MS) * 50 + 1e-6);
        });
      }),
    );
  });
});
