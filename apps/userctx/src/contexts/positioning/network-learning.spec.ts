import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { learnNetwork, emptyNetworkState } from './network-learning.js';
import type { NetworkState, Sighting } from './network-learning.js';
import { offsetLength, translate, offsetBetween } from './plane.js';

const ORIGIN = { latitude: 45.38, longitude: 14.14 };
const HOUR_MS = 3_600_000;
const metres = fc.double({ min: -300, max: 300, noNaN: true });
const near: fc.Arbitrary<Sighting> = fc.record({
  point: fc.record({ east: metres, north: metres }).map((offset) => translate(ORIGIN, offset)),
  weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
});

const at = (east: number, weight = 1): Sighting => ({ point: translate(ORIGIN, { east, north: 0 }), weight });
const after = (before: NetworkState, sightings: Sighting[], witness = 1, now = 0) =>
  learnNetwork(before, sightings, { witness, now });
const NEW = emptyNetworkState('WIFI');

describe('addSightings', () => {
  it('computes the same distribution for any order of sightings', () => {
    fc.assert(
      fc.property(
        fc.array(near, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
        (sightings, ranks) => {
          const shuffled = sightings
            .map((sighting, index) => ({ sighting, rank: ranks[index] ?? 0 }))
            .toSorted((a, b) => a.rank - b.rank)
            .map(({ sighting }) => sighting);
          const [one, other] = [after(NEW, sightings).distribution!, after(NEW, shuffled).distribution!];
          expect(offsetLength(offsetBetween(one, other))).toBeLessThan(0.05);
          expect(one.weight).toBeCloseTo(other.weight, 6);
          expect(Math.abs(one.scatter - other.scatter)).toBeLessThan(1 + one.scatter / 1_000);
        },
      ),
    );
  });

  it('computes the same distribution however sightings are split into reports', () => {
    fc.assert(
      fc.property(fc.array(near, { minLength: 2, maxLength: 30 }), fc.nat(30), (sightings, cut) => {
        const whole = after(NEW, sightings);
        const parts = after(after(NEW, sightings.slice(0, cut)), sightings.slice(cut));
        expect(parts.distribution).toEqual(whole.distribution);
      }),
    );
  });

  it('computes the weighted mean of the sightings and the scatter around the mean', () => {
    const { distribution } = after(NEW, [at(0, 0.25), at(100, 0.75)]);
    expect(offsetLength(offsetBetween(ORIGIN, distribution!))).toBeCloseTo(75, 1);
    expect(distribution!.scatter).toBeCloseTo(0.25 * 75 ** 2 + 0.75 * 25 ** 2, 0);
    expect(distribution!.weight).toBe(1);
  });

  it('still changes the distribution after a very large number of sightings', () => {
    const often = after(
      NEW,
      Array.from({ length: 5_000 }, () => at(0)),
    );
    const later = after(
      often,
      Array.from({ length: 200 }, () => at(100)),
    );
    expect(often.distribution!.weight).toBe(200);
    expect(offsetLength(offsetBetween(ORIGIN, later.distribution!))).toBeGreaterThan(50);
  });
});

describe('addSightings of several observers', () => {
  it('confirms a network after a second observer and deletes the observer tags', () => {
    const once = after(after(NEW, [at(0)], 7), [at(0)], 7);
    expect(once).toMatchObject({ learned: false, witnesses: [7] });
    expect(after(once, [at(0)], 8)).toMatchObject({ learned: true, witnesses: [] });
  });

  it('does not count an observer who observed the network elsewhere', () => {
    expect(after(after(NEW, [at(0)], 7), [at(5_000)], 8)).toMatchObject({ learned: false, strays: 1, witnesses: [7] });
  });
});

describe('addSightings for a network that has moved', () => {
  const learned = after(after(NEW, [at(0)], 1), [at(0)], 2);

  it('resets the network after three sightings out of reach and blocks it for two days, then for four', () => {
    const blocked = after(learned, [at(5_000), at(5_010), at(5_020)], 1, 0);
    expect(blocked).toEqual({ ...NEW, moves: 1, blockedUntil: 48 * HOUR_MS });
    expect(after(blocked, [at(5_000)], 3, 48 * HOUR_MS - 1)).toBe(blocked);
    const relearned = after(blocked, [at(5_000)], 3, 48 * HOUR_MS);
    expect(relearned).toMatchObject({ learned: false, witnesses: [3], moves: 1, blockedUntil: null });
    const blockedAgain = after(relearned, [at(0), at(0), at(0)], 1, 48 * HOUR_MS);
    expect(blockedAgain).toEqual({ ...NEW, moves: 2, blockedUntil: (48 + 96) * HOUR_MS });
  });

  it('keeps the network confirmed after occasional sightings out of reach', () => {
    const now = after(learned, [at(5_000), at(0), at(5_000), at(0), at(5_000), at(5_000), at(0)]);
    expect(now).toMatchObject({ learned: true, strays: 1 });
    expect(offsetLength(offsetBetween(ORIGIN, now.distribution!))).toBeLessThan(1);
  });

  it('never confirms an access point on a bus, however many watches observe the access point', () => {
    const ride = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ride, { minLength: 1, maxLength: 20 }), (rides) => {
        const bus = rides.reduce((before, stops, index) => {
          const sightings = stops.map((stop) => at(stop * 1_500));
          return after(before, sightings, index, index * 24 * HOUR_MS);
        }, NEW);
        expect(bus).toMatchObject({ learned: false, distribution: null });
      }),
    );
  });
});
