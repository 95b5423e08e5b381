import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSightings, emptyNetworkState } from './network-state.js';
import type { NetworkState, Sighting } from './network-state.js';
import { offsetLength, translate, offsetBetween } from './plane.js';

const ORIGIN = { latitude: 45.38, longitude: 14.14 };
const HOUR_MS = 3_600_000;
const metres = fc.double({ min: -300, max: 300, noNaN: true });
const nearbySightings: fc.Arbitrary<Sighting> = fc.record({
  point: fc.record({ east: metres, north: metres }).map((offset) => translate(ORIGIN, offset)),
  weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
});

const createSighting = (east: number, weight = 1): Sighting => ({
  point: translate(ORIGIN, { east, north: 0 }),
  weight,
});
const reportSightings = (before: NetworkState, sightings: Sighting[], observerTag = 1, now = 0) =>
  addSightings(before, sightings, { observerTag, now });
const NEW_NETWORK = emptyNetworkState('WIFI');

describe('addSightings', () => {
  it('computes the same distribution for any order of sightings', () => {
    fc.assert(
      fc.property(
        fc.array(nearbySightings, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
        (sightings, ranks) => {
          const shuffled = sightings
            .map((sighting, index) => ({ sighting, rank: ranks[index] ?? 0 }))
            .toSorted((a, b) => a.rank - b.rank)
            .map(({ sighting }) => sighting);
          const [one, other] = [
            reportSightings(NEW_NETWORK, sightings).distribution!,
            reportSightings(NEW_NETWORK, shuffled).distribution!,
          ];
          expect(offsetLength(offsetBetween(one, other))).toBeLessThan(0.05);
          expect(one.weight).toBeCloseTo(other.weight, 6);
          expect(Math.abs(one.scatter - other.scatter)).toBeLessThan(1 + one.scatter / 1_000);
        },
      ),
    );
  });

  it('computes the same distribution however sightings are split into reports', () => {
    fc.assert(
      fc.property(fc.array(nearbySightings, { minLength: 2, maxLength: 30 }), fc.nat(30), (sightings, cut) => {
        const whole = reportSightings(NEW_NETWORK, sightings);
        const parts = reportSightings(reportSightings(NEW_NETWORK, sightings.slice(0, cut)), sightings.slice(cut));
        expect(parts.distribution).toEqual(whole.distribution);
      }),
    );
  });

  it('computes the weighted mean of the sightings and the scatter around the mean', () => {
    const { distribution } = reportSightings(NEW_NETWORK, [createSighting(0, 0.25), createSighting(100, 0.75)]);
    expect(offsetLength(offsetBetween(ORIGIN, distribution!))).toBeCloseTo(75, 1);
    expect(distribution!.scatter).toBeCloseTo(0.25 * 75 ** 2 + 0.75 * 25 ** 2, 0);
    expect(distribution!.weight).toBe(1);
  });

  it('still changes the distribution after a very large number of sightings', () => {
    const often = reportSightings(
      NEW_NETWORK,
      Array.from({ length: 5_000 }, () => createSighting(0)),
    );
    const later = reportSightings(
      often,
      Array.from({ length: 200 }, () => createSighting(100)),
    );
    expect(often.distribution!.weight).toBe(200);
    expect(offsetLength(offsetBetween(ORIGIN, later.distribution!))).toBeGreaterThan(50);
  });
});

describe('addSightings of several observers', () => {
  it('confirms a network after a second observer and deletes the observer tags', () => {
    const once = reportSightings(reportSightings(NEW_NETWORK, [createSighting(0)], 7), [createSighting(0)], 7);
    expect(once).toMatchObject({ isConfirmed: false, observerTags: [7] });
    expect(reportSightings(once, [createSighting(0)], 8)).toMatchObject({ isConfirmed: true, observerTags: [] });
  });

  it('does not count an observer who observed the network elsewhere', () => {
    expect(
      reportSightings(reportSightings(NEW_NETWORK, [createSighting(0)], 7), [createSighting(5_000)], 8),
    ).toMatchObject({
      isConfirmed: false,
      outOfReachCount: 1,
      observerTags: [7],
    });
  });
});

describe('addSightings for a network that has moved', () => {
  const confirmed = reportSightings(reportSightings(NEW_NETWORK, [createSighting(0)], 1), [createSighting(0)], 2);

  it('resets the network after three sightings out of reach and blocks it for two days, then for four', () => {
    const blocked = reportSightings(
      confirmed,
      [createSighting(5_000), createSighting(5_010), createSighting(5_020)],
      1,
      0,
    );
    expect(blocked).toEqual({ ...NEW_NETWORK, moveCount: 1, blockedUntil: 48 * HOUR_MS });
    expect(reportSightings(blocked, [createSighting(5_000)], 3, 48 * HOUR_MS - 1)).toBe(blocked);
    const restarted = reportSightings(blocked, [createSighting(5_000)], 3, 48 * HOUR_MS);
    expect(restarted).toMatchObject({ isConfirmed: false, observerTags: [3], moveCount: 1, blockedUntil: null });
    const blockedAgain = reportSightings(
      restarted,
      [createSighting(0), createSighting(0), createSighting(0)],
      1,
      48 * HOUR_MS,
    );
    expect(blockedAgain).toEqual({ ...NEW_NETWORK, moveCount: 2, blockedUntil: (48 + 96) * HOUR_MS });
  });

  it('keeps the network confirmed after occasional sightings out of reach', () => {
    const now = reportSightings(confirmed, [
      createSighting(5_000),
      createSighting(0),
      createSighting(5_000),
      createSighting(0),
      createSighting(5_000),
      createSighting(5_000),
      createSighting(0),
    ]);
    expect(now).toMatchObject({ isConfirmed: true, outOfReachCount: 1 });
    expect(offsetLength(offsetBetween(ORIGIN, now.distribution!))).toBeLessThan(1);
  });

  it('never confirms an access point on a bus, however many watches observe the access point', () => {
    const ride = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ride, { minLength: 1, maxLength: 20 }), (rides) => {
        const bus = rides.reduce((before, stops, index) => {
          const sightings = stops.map((stop) => createSighting(stop * 1_500));
          return reportSightings(before, sightings, index, index * 24 * HOUR_MS);
        }, NEW_NETWORK);
        expect(bus).toMatchObject({ isConfirmed: false, distribution: null });
      }),
    );
  });
});
