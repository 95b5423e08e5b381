import { describe, expect, test } from '@jest/globals';
import { GpxError } from '../track/gpx.js';
import { toJourney, defaultRoute } from '../track/journey.js';
import { deriveHomeAndSchool } from './places.js';

/** Degrees of latitude per metre. */
const DEGREES_PER_METRE = 1 / 111_195;
const journeyPointAt = (metres: number) => ({
  latitude: metres * DEGREES_PER_METRE,
  longitude: 14,
  offset: metres * 1_000,
});

describe('home and school', () => {
  test('are the start of the journey and the point farthest from its start', () => {
    const { home, school } = deriveHomeAndSchool([
      journeyPointAt(0),
      journeyPointAt(500),
      journeyPointAt(1_000),
      journeyPointAt(400),
    ]);
    expect([home.latitude, school.latitude]).toEqual([0, 1_000 * DEGREES_PER_METRE]);
    expect([home.radius, school.radius]).toEqual([150, 150]);
  });

  test('have smaller fences, which do not overlap, when they are 240 m apart', () => {
    expect(deriveHomeAndSchool([journeyPointAt(0), journeyPointAt(240)]).school.radius).toBe(60);
  });

  test('are rejected with GpxError when the journey is empty or too short for two fences', () => {
    expect(() => deriveHomeAndSchool([journeyPointAt(0), journeyPointAt(150)])).toThrow(GpxError);
    expect(() => deriveHomeAndSchool([])).toThrow(GpxError);
  });

  test('are the two ends of the default route', () => {
    const journey = toJourney(defaultRoute());
    const { home, school } = deriveHomeAndSchool(journey);
    expect(home).toMatchObject({ latitude: journey[0]?.latitude, radius: 150 });
    expect(school).toMatchObject({ latitude: journey.at(-1)?.latitude, longitude: journey.at(-1)?.longitude });
  });
});
