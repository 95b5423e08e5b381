import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  POINT_FLAG,
  POINT_TYPE,
  isCredible,
  type Location,
  type PointFlag,
  type PointType,
} from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { resolveContradictions } from './contradictions.js';
import { assessInOrder, type AssessedPoint } from './point-assessment.js';

const START = 1_790_000_000_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Place = Pick<Location, 'latitude' | 'longitude'>;
const HOME: Place = { latitude: '52.5200', longitude: '13.4050' };
/** 500 km from {@link HOME}. */
const FAR: Place = { latitude: '48.1370', longitude: '11.5750' };
const ZERO: Place = { latitude: '0', longitude: '0' };
const NEAR_ZERO: Place = { latitude: '0.01', longitude: '-0.02' };

const { GPS, WIFI, CELL } = POINT_TYPE;

/** A fix `time` milliseconds after {@link START}. */
function fix(time: number, place: Place, pointType: PointType = GPS, radius = 15): Location {
  return { ...place, positionTime: START + time, radius, pointType };
}

/** Fixes at one place, one per `interval`. */
function fixes(
  count: number,
  from: number,
  place: Place,
  pointType: PointType = GPS,
  interval = MINUTE_MS,
): Location[] {
  return Array.from({ length: count }, (_, index) => fix(from + index * interval, place, pointType));
}

/** The points of one child, to which reports are added one by one as the intake does. */
class Track {
  private points: AssessedPoint[] = [];

  report(...reported: readonly Location[]): this {
    const credible = this.points.filter(({ flags }) => isCredible(flags)).map(({ point }) => point);
    const added = assessInOrder(
      reported.map((point) => ({ point, receivedAt: point.positionTime })),
      ({ point }) => credible.findLast(({ positionTime }) => positionTime <= point.positionTime) ?? null,
    );
    this.points = [...this.points, ...added].toSorted((a, b) => a.point.positionTime - b.point.positionTime);
    const changes = resolveContradictions(this.points, added);
    this.points = this.points.map((one) => ({ ...one, flags: changes.get(one) ?? one.flags }));
    return this;
  }

  reportEach(reported: readonly Location[]): this {
    for (const point of reported) this.report(point);
    return this;
  }

  flagsOf(point: Location): PointFlag[] | undefined {
    return this.points.find((one) => one.point === point)?.flags;
  }

  get credible(): Location[] {
    return this.points.filter(({ flags }) => isCredible(flags)).map(({ point }) => point);
  }
}

describe('resolveContradictions', () => {
  test('three GPS points of two minutes overrule a wrong first GPS point', () => {
    const wrong = fix(0, FAR);
    const right = fixes(30, MINUTE_MS, HOME);
    const track = new Track().reportEach([wrong, ...right.slice(0, 2)]);
    expect(track.credible).toEqual([wrong]);
    track.reportEach(right.slice(2));
    expect(track.credible).toEqual(right);
    expect(track.flagsOf(wrong)).toEqual([POINT_FLAG.IMPOSSIBLE_SPEED]);
  });

  test.each([
    ['two points', fixes(2, MINUTE_MS, HOME, GPS, 2 * MINUTE_MS)],
    ['points of less than two minutes', fixes(3, MINUTE_MS, HOME, GPS, 59 * SECOND_MS)],
    [
      'points that contradict each other',
      [fix(1, HOME), fix(2, { ...HOME, latitude: '60' }), fix(MINUTE_MS * 3, ZERO)],
    ],
  ])('%s overrule nothing', (_, points) => {
    const wrong = fix(0, FAR);
    expect(new Track().reportEach([wrong, ...points]).credible).toEqual([wrong]);
  });

  test('points overrule a wrong one when they are reported together and out of order', () => {
    const wrong = fix(0, FAR);
    const right = fixes(5, MINUTE_MS, HOME);
    expect(new Track().report(wrong, ...right).credible).toEqual(right);
    const late = new Track().reportEach([wrong, ...right.slice(1), right[0] as Location]);
    expect(late.credible).toEqual(right);
  });

  test('points of a moving car overrule a wrong point', () => {
    const wrong = fix(0, FAR);
    const right = fixes(5, MINUTE_MS, HOME).map((point, index) => ({
      ...point,
      latitude: (52.5 + index / 50).toFixed(2),
    }));
    expect(new Track().reportEach([wrong, ...right]).credible).toEqual(right);
  });

  test.each<[string, PointType, PointType, boolean]>([
    ['GPS overrules GPS', GPS, GPS, true],
    ['GPS overrules Wi-Fi', GPS, WIFI, true],
    ['Wi-Fi overrules Wi-Fi', WIFI, WIFI, true],
    ['Wi-Fi does not overrule GPS', WIFI, GPS, false],
    ['cells do not overrule Wi-Fi', CELL, WIFI, false],
  ])('%s', (_, rightType, wrongType, isOverruled) => {
    const wrong = fix(0, FAR, wrongType);
    const right = fixes(4, MINUTE_MS, HOME, rightType);
    expect(new Track().reportEach([wrong, ...right]).credible).toEqual(isOverruled ? right : [wrong]);
  });

  test('four points of a moved access point, the first after a day without points, do not hide GPS points', () => {
    const router = fixes(4, 30 * HOUR_MS, FAR, WIFI);
    const gps = fixes(3, 30 * HOUR_MS + 30 * SECOND_MS, HOME);
    const before = fix(0, HOME);
    const track = new Track().reportEach([before, ...router.slice(0, 3), ...gps, ...router.slice(3)]);
    expect(track.credible).toEqual([before, ...gps]);
    track.reportEach(fixes(20, 30 * HOUR_MS + 4 * MINUTE_MS, FAR, WIFI));
    expect(track.credible).toEqual([before, ...gps]);
  });

  test('as many points as a track has do not overrule it', () => {
    const home = fixes(5, 0, HOME);
    const track = new Track().reportEach([...home, ...fixes(5, 5 * MINUTE_MS, FAR)]);
    expect(track.credible).toEqual(home);
  });

  test('the next point at home and the points before it overrule a wrong one between them', () => {
    const home = fixes(5, 0, HOME);
    // At 500 km in 40 minutes the wrong point is slower than the maximum speed.
    const wrong = fix(44 * MINUTE_MS, FAR, CELL);
    const next = fix(45 * MINUTE_MS, HOME);
    expect(new Track().reportEach([...home, wrong, next]).credible).toEqual([...home, next]);
  });

  test('a late wrong point does not contradict the points that follow it', () => {
    const home = fixes(5, HOUR_MS, HOME);
    const wrong = fix(HOUR_MS - MINUTE_MS, FAR);
    const track = new Track().reportEach([...home, wrong]);
    expect(track.credible).toEqual(home);
    expect(track.flagsOf(wrong)).toEqual([POINT_FLAG.IMPOSSIBLE_SPEED]);
  });

  test('a point that another flag makes not credible neither overrules nor becomes credible', () => {
    const wrong = { point: fix(0, FAR), flags: [] };
    const reported = fixes(5, MINUTE_MS, HOME).map((point) => ({
      point,
      flags: [POINT_FLAG.IMPOSSIBLE_SPEED, POINT_FLAG.REPORTED_WRONG],
    }));
    expect(resolveContradictions([wrong, ...reported], reported)).toEqual(new Map());
  });

  test('points do not overrule an opponent that is not among the given points', () => {
    const reported = fixes(3, 0, FAR, WIFI).map((point) => ({ point, flags: [POINT_FLAG.IMPOSSIBLE_SPEED] }));
    const unrelated = { point: fix(-5 * HOUR_MS, HOME), flags: [] };
    expect(resolveContradictions([unrelated, ...reported], reported)).toEqual(new Map());
  });

  test('zeros that are stored as credible count for nothing', () => {
    const zeros = fixes(100, 0, ZERO).map((point) => ({ point, flags: [] }));
    const wrong = { point: fix(100 * MINUTE_MS, FAR), flags: [] };
    const right = fixes(3, 101 * MINUTE_MS, HOME).map((point) => ({ point, flags: [POINT_FLAG.IMPOSSIBLE_SPEED] }));
    const changes = resolveContradictions([...zeros, wrong, ...right], right);
    expect([...changes.keys()]).toEqual([wrong, ...right]);
  });

  test('zero is never credible, and a point near it only with GPS points that agree', () => {
    const zeros = fixes(10, 0, ZERO);
    const track = new Track().reportEach(zeros);
    expect(track.flagsOf(zeros[0] as Location)).toEqual([POINT_FLAG.NO_FIX]);
    expect(track.credible).toEqual([]);
    const first = fix(11 * MINUTE_MS, HOME);
    expect(track.report(first).credible).toEqual([first]);

    expect(new Track().reportEach(fixes(10, 0, NEAR_ZERO, WIFI)).credible).toEqual([]);
    const gps = fixes(4, 0, NEAR_ZERO);
    const ship = new Track().reportEach(gps.slice(0, 2));
    expect(ship.credible).toEqual([]);
    expect(ship.reportEach(gps.slice(2)).credible).toEqual(gps);
  });

  test('the points of a walk are credible and wrong ones are not, in whatever order they are reported', () => {
    const scenario = fc
      .record({
        length: fc.integer({ min: 7, max: 20 }),
        wrongAt: fc.nat(20),
        seconds: fc.integer({ min: 40, max: 90 }),
      })
      .chain(({ length, wrongAt, seconds }) => {
        const walk = fixes(length, 0, HOME, GPS, seconds * SECOND_MS).map((point, index) => ({
          ...point,
          longitude: (13.4 + index / 10_000).toFixed(4),
        }));
        const wrong = fix((wrongAt % length) * seconds * SECOND_MS + SECOND_MS, FAR);
        const order = fc.shuffledSubarray([...walk, wrong], { minLength: length + 1 });
        return fc.record({ walk: fc.constant(walk), order });
      });
    fc.assert(
      fc.property(scenario, ({ walk, order }) => {
        expect(new Track().reportEach(order).credible).toEqual(walk);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
