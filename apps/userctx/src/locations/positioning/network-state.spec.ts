import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addSightings, emptyNetworkState, type NetworkState, type Sighting } from './network-state.js';
import { offsetLength, translate, offsetBetween } from './offsets.js';

const ORIGIN = { latitude: 45.38, longitude: 14.14 };
const DAY_MS = 86_400_000;
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
const NEW_NETWORK = emptyNetworkState('WIFI', 0);

/** Returns the network after one report of one sighting from each of the families. */
const reportFromFamilies = (before: NetworkState, east: number, families: readonly number[], now = 0) =>
  families.reduce((network, family) => reportSightings(network, [createSighting(east)], family, now), before);

const distanceFromOrigin = ({ distribution }: NetworkState) =>
  distribution ? offsetLength(offsetBetween(ORIGIN, distribution)) : Infinity;

describe('addSightings', () => {
  test('computes the same distribution for any order of sightings', () => {
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
          expect(Math.abs(one.squaredDistanceSum - other.squaredDistanceSum)).toBeLessThan(
            1 + one.squaredDistanceSum / 1_000,
          );
        },
      ),
    );
  });

  test('computes the same distribution however sightings are split into reports', () => {
    fc.assert(
      fc.property(fc.array(nearbySightings, { minLength: 2, maxLength: 30 }), fc.nat(30), (sightings, cut) => {
        const light = sightings.map(({ point, weight }) => ({ point, weight: weight / sightings.length }));
        const whole = reportSightings(NEW_NETWORK, light);
        const parts = reportSightings(reportSightings(NEW_NETWORK, light.slice(0, cut)), light.slice(cut));
        expect(offsetLength(offsetBetween(parts.distribution!, whole.distribution!))).toBeLessThan(0.05);
        expect(parts.distribution!.weight).toBeCloseTo(whole.distribution!.weight, 6);
      }),
    );
  });

  test('computes the weighted mean of the sightings and the sum of squared distances from the mean', () => {
    const { distribution } = reportSightings(NEW_NETWORK, [createSighting(0, 0.25), createSighting(100, 0.75)]);
    expect(offsetLength(offsetBetween(ORIGIN, distribution!))).toBeCloseTo(75, 1);
    expect(distribution!.squaredDistanceSum).toBeCloseTo(0.25 * 75 ** 2 + 0.75 * 25 ** 2, 0);
    expect(distribution!.weight).toBe(1);
  });

  test('moves the mean towards new sightings even after a very large number of sightings', () => {
    const often = Array.from({ length: 500 }).reduce<NetworkState>(
      (network, _, index) =>
        reportSightings(network, Array<Sighting>(20).fill(createSighting(0)), index, index * DAY_MS),
      NEW_NETWORK,
    );
    const later = Array.from({ length: 40 }).reduce<NetworkState>(
      (network, _, index) =>
        reportSightings(network, Array<Sighting>(20).fill(createSighting(100)), index, (500 + index) * DAY_MS),
      often,
    );
    expect(often.distribution!.weight).toBe(200);
    expect(distanceFromOrigin(later)).toBeGreaterThan(50);
  });
});

describe('addSightings with reports of several families', () => {
  test('confirms a network after a report of a second family, but not after a second report of the same family', () => {
    const once = reportFromFamilies(NEW_NETWORK, 0, [7, 7]);
    expect(once).toMatchObject({ isConfirmed: false, support: 1, observers: [{ tag: 7 }] });
    expect(reportFromFamilies(once, 0, [8])).toMatchObject({ isConfirmed: true, support: 2 });
  });

  test('confirms a network after a report on a second day', () => {
    const once = reportFromFamilies(NEW_NETWORK, 0, [7]);
    expect(reportFromFamilies(once, 0, [70], DAY_MS)).toMatchObject({
      isConfirmed: true,
      observers: [{ tag: 70 }],
      lastReportedOn: 1,
    });
  });

  test('does not count a family that observed the network elsewhere', () => {
    const contradicted = reportFromFamilies(reportFromFamilies(NEW_NETWORK, 0, [7]), 5_000, [8]);
    expect(contradicted).toMatchObject({ isConfirmed: false, support: 1, contradictionTags: [8] });
    expect(reportFromFamilies(contradicted, 0, [8])).toEqual(contradicted);
  });

  test('restarts with the current report when more reports contradict than support an unconfirmed network', () => {
    const falseReport = reportFromFamilies(NEW_NETWORK, 5_000, [9]);
    const restarted = reportFromFamilies(falseReport, 0, [1, 2]);
    expect(restarted).toMatchObject({ isConfirmed: false, support: 1, blockedUntil: null });
    expect(distanceFromOrigin(restarted)).toBe(0);
    expect(reportFromFamilies(restarted, 0, [3])).toMatchObject({ isConfirmed: true });
    const onTwoDays = reportFromFamilies(reportFromFamilies(falseReport, 0, [1], DAY_MS), 0, [11], 2 * DAY_MS);
    expect(distanceFromOrigin(onTwoDays)).toBe(0);
  });

  test('limits the weight of one family on one day, however many sightings the family reports', () => {
    const honest = [1, 2, 3, 4].reduce(
      (network, family) => reportSightings(network, Array<Sighting>(5).fill(createSighting(0)), family),
      NEW_NETWORK,
    );
    let network = honest;
    for (let report = 0; report < 20; report += 1) {
      // Each report is 900 metres from the current mean, so that its sightings stay within reach.
      const place = distanceFromOrigin(network) + 900;
      network = reportSightings(network, Array<Sighting>(50).fill(createSighting(place)), 9);
    }
    expect(distanceFromOrigin(network)).toBeLessThan(900 / 4);
    expect(network.distribution!.weight).toBeCloseTo(25, 6);
    expect(reportFromFamilies(network, 900, [90], DAY_MS).distribution!.weight).toBeGreaterThan(25);
  });

  test('uses the sightings of at most 32 families per day', () => {
    const many = Array.from({ length: 40 }, (_, family) => family);
    const network = reportFromFamilies(NEW_NETWORK, 0, many);
    expect(network.observers).toHaveLength(32);
    expect(network.distribution!.weight).toBeCloseTo(32, 6);
  });
});

describe('addSightings for a confirmed network that is observed out of reach', () => {
  const confirmed = reportFromFamilies(NEW_NETWORK, 0, [1, 2]);
  const NEXT_DAY = DAY_MS;

  test('keeps location and confirmation, however often a single family observes the network out of reach', () => {
    const reports = fc.array(fc.array(fc.integer({ min: 2, max: 40 }), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(reports, (places) => {
        const network = places.reduce(
          (before, each) =>
            reportSightings(
              before,
              each.map((place) => createSighting(place * 1_000)),
              9,
            ),
          confirmed,
        );
        expect(network).toEqual({ ...confirmed, contradictionTags: [9] });
      }),
    );
  });

  test('resets the network a day after three families contradict it, and ignores it for two days, then for four', () => {
    const contradicted = reportFromFamilies(confirmed, 5_000, [3, 4, 5], NEXT_DAY);
    expect(contradicted).toMatchObject({ isConfirmed: true, distribution: confirmed.distribution });
    const blocked = reportFromFamilies(contradicted, 5_000, [6], 2 * DAY_MS);
    expect(blocked).toEqual({ ...emptyNetworkState('WIFI', 2), moveCount: 1, blockedUntil: 4 * DAY_MS });
    expect(reportFromFamilies(blocked, 5_000, [6], 4 * DAY_MS - 1)).toEqual({ ...blocked, lastReportedOn: 3 });
    const again = reportFromFamilies(blocked, 5_000, [3, 4], 4 * DAY_MS);
    expect(again).toMatchObject({ isConfirmed: true, moveCount: 1, blockedUntil: null });
    const contradictedAgain = reportFromFamilies(again, 0, [1, 2, 5], 5 * DAY_MS);
    expect(reportFromFamilies(contradictedAgain, 0, [6], 6 * DAY_MS)).toEqual({
      ...emptyNetworkState('WIFI', 6),
      moveCount: 2,
      blockedUntil: 10 * DAY_MS,
    });
  });

  test('keeps a network that many families observe daily when three families contradict it right after midnight', () => {
    const honestFamilies = Array.from({ length: 100 }, (_, family) => 10 + family);
    let network = reportFromFamilies(NEW_NETWORK, 0, honestFamilies);
    for (let day = 1; day <= 5; day += 1) {
      network = reportFromFamilies(network, 5_000, [1, 2, 3], day * DAY_MS + 1_000);
      expect(network).toMatchObject({ isConfirmed: true, moveCount: 0 });
      network = reportFromFamilies(network, 0, honestFamilies, day * DAY_MS + DAY_MS / 2);
    }
    expect(network).toMatchObject({ isConfirmed: true, moveCount: 0, blockedUntil: null });
    expect(distanceFromOrigin(network)).toBe(0);
  });

  test('decides whether the network has moved by all reports of a day, in any order of the reports', () => {
    const reportsOfDay = fc
      .record({ observing: fc.integer({ min: 0, max: 6 }), contradicting: fc.integer({ min: 0, max: 6 }) })
      .chain(({ observing, contradicting }) => {
        const reports = Array.from({ length: observing + contradicting }, (_, index) => ({
          family: 10 + index,
          east: index < observing ? 0 : 5_000,
        }));
        const order = fc.shuffledSubarray(reports, { minLength: reports.length, maxLength: reports.length });
        return fc.record({ observing: fc.constant(observing), contradicting: fc.constant(contradicting), order });
      });
    fc.assert(
      fc.property(reportsOfDay, ({ observing, contradicting, order }) => {
        const afterReports = order.reduce(
          (network, { family, east }) => reportFromFamilies(network, east, [family], NEXT_DAY),
          confirmed,
        );
        const { moveCount } = reportFromFamilies(afterReports, 0, [1], 2 * DAY_MS);
        expect(moveCount).toBe(contradicting >= 3 && contradicting > observing ? 1 : 0);
      }),
    );
  });

  test('keeps a network of more than 32 observers, however many of them contradict it later on the same day', () => {
    for (const count of [3, 16, 17, 32, 200]) {
      const attackers = Array.from({ length: count }, (_, family) => 1_000 + family);
      const honestFamilies = Array.from({ length: 40 }, (_, family) => 10 + family);
      let network = confirmed;
      for (const [east, families] of [
        [0, attackers],
        [0, honestFamilies],
        [5_000, attackers],
      ] as const) {
        network = reportFromFamilies(network, east, families, NEXT_DAY);
      }
      expect(network.contradictionTags.length).toBeLessThanOrEqual(16);
      expect(reportFromFamilies(network, 0, [1], 2 * DAY_MS)).toMatchObject({ isConfirmed: true, moveCount: 0 });
    }
  });

  const contradictDaily = (before: NetworkState, firstDay: number, days: number) =>
    Array.from({ length: days }).reduce<NetworkState>(
      (network, _, index) => reportFromFamilies(network, 5_000, [100 + index], (firstDay + index) * DAY_MS),
      before,
    );

  test('resets the network after contradictions on 14 days without a report within reach', () => {
    const contradicted = contradictDaily(confirmed, 1, 14);
    expect(contradicted).toMatchObject({ isConfirmed: true, distribution: confirmed.distribution });
    expect(contradictDaily(contradicted, 15, 1)).toMatchObject({ distribution: null, moveCount: 1 });
    expect(contradictDaily(reportFromFamilies(contradicted, 0, [1], 14 * DAY_MS), 15, 1)).toMatchObject({
      moveCount: 0,
    });
  });

  test('keeps the network when it is observed within reach once in 13 days', () => {
    let network = confirmed;
    for (let day = 1; day < 400; day += 13) {
      network = reportFromFamilies(contradictDaily(network, day, 13), 0, [1], (day + 12) * DAY_MS);
    }
    expect(network).toMatchObject({ isConfirmed: true, moveCount: 0 });
    expect(distanceFromOrigin(network)).toBe(0);
  });

  test('counts a day as contradicted even when the same family observes the network within and out of reach', () => {
    const [withdrawn, contradicted] = [
      [0, 5_000],
      [5_000, 0],
    ].map((places) =>
      places.reduce(
        (network, east) => reportFromFamilies(network, east, [9], 8 * DAY_MS),
        contradictDaily(confirmed, 1, 7),
      ),
    );
    expect(reportFromFamilies(withdrawn!, 5_000, [9], 9 * DAY_MS)).toMatchObject({ contradictedDays: 8 });
    expect(reportFromFamilies(contradicted!, 5_000, [9], 9 * DAY_MS)).toMatchObject({ contradictedDays: 8 });
  });

  test('withdraws the support of families that observe the network within reach and out of reach on one day', () => {
    const first = reportFromFamilies(confirmed, 5_000, [1]);
    expect(first).toMatchObject({ isConfirmed: false, support: 1, contradictionTags: [1] });
    expect(reportFromFamilies(first, 5_000, [2])).toEqual({ ...NEW_NETWORK, contradictionTags: [1, 2] });
    const attacked = reportFromFamilies(reportFromFamilies(confirmed, 0, [9]), 5_000, [9]);
    expect(attacked).toMatchObject({ isConfirmed: true, support: 2, contradictionTags: [9] });
  });

  test('never confirms an access point in a bus, however many families observe the access point', () => {
    const ride = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ride, { minLength: 1, maxLength: 20 }), fc.boolean(), (rides, isOneReport) => {
        const bus = rides.reduce((before, stops, index) => {
          const sightings = stops.map((stop) => createSighting(stop * 1_500));
          const reports = isOneReport ? [sightings] : sightings.map((sighting) => [sighting]);
          return reports.reduce((network, each) => reportSightings(network, each, index, index * DAY_MS), before);
        }, NEW_NETWORK);
        expect(bus).toMatchObject({ isConfirmed: false, distribution: null });
      }),
    );
  });
});
