import { describe, expect, it } from '@jest/globals';
import { GpxError } from '../track/gpx.js';
import { toJourney } from '../track/journey.js';
import { wayToSchool } from '../track/way-to-school.js';
import { placesOf } from './places.js';

/** Degrees of latitude. */
const METRE = 1 / 111_195;
const at = (metres: number) => ({ latitude: metres * METRE, longitude: 14, offset: metres * 1_000 });

describe('home and school', () => {
  it('are the beginning of the journey and its place farthest from there', () => {
    const { home, school } = placesOf([at(0), at(500), at(1_000), at(400)]);
    expect([home.latitude, school.latitude]).toEqual([0, 1_000 * METRE]);
    expect([home.radius, school.radius]).toEqual([150, 150]);
  });

  it('keep apart, however short the way is', () => {
    expect(placesOf([at(0), at(240)]).school.radius).toBe(60);
    expect(() => placesOf([at(0), at(150)])).toThrow(GpxError);
    expect(() => placesOf([])).toThrow(GpxError);
  });

  it('of the usual way are its two ends', () => {
    const journey = toJourney(wayToSchool());
    const { home, school } = placesOf(journey);
    expect(home).toMatchObject({ latitude: journey[0]?.latitude, radius: 150 });
    expect(school).toMatchObject({ latitude: journey.at(-1)?.latitude, longitude: journey.at(-1)?.longitude });
  });
});
