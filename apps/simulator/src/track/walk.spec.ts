import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { validatePoint } from '@family-watch/domain/locations/contracts/validate-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { JourneyPoint } from './journey.js';
import { Walk } from './walk.js';

const START_TIME = Date.UTC(2026, 0, 1);

function journeyOf(...offsets: number[]): JourneyPoint[] {
  return offsets.map((offset) => ({ latitude: 45, longitude: 14, offset }));
}

describe('Walk.replay', () => {
  beforeEach(() => void jest.useFakeTimers({ now: START_TIME, doNotFake: ['performance'] }));
  afterEach(() => void jest.useRealTimers());

  /** Creates a watch for which the service takes `milliseconds` to respond to each message. */
  function createSlowWatch(milliseconds: number) {
    const messages: { sentAtMs: number; points: Location[] }[] = [];
    const report = async (points: Location[]): Promise<void> => {
      messages.push({ sentAtMs: Date.now() - START_TIME, points });
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    };
    return { messages, report };
  }

  test('sends each point when it is due, in order', async () => {
    const walk = new Walk(journeyOf(0, 1_000, 5_000), 10);
    const watch = createSlowWatch(0);
    const done = walk.replay(watch);
    await jest.advanceTimersByTimeAsync(600);
    await done;
    expect(watch.messages.map(({ sentAtMs, points }) => [sentAtMs, points.length])).toEqual([
      [0, 1],
      [100, 1],
      [500, 1],
    ]);
    expect(watch.messages.flatMap(({ points }) => points)).toEqual(walk.points);
  });

  test('sends points that became due during a request together, at most 100 per message', async () => {
    const walk = new Walk(journeyOf(...Array.from({ length: 250 }, (_, index) => index)), 1);
    const watch = createSlowWatch(1_000);
    const done = walk.replay(watch);
    await jest.advanceTimersByTimeAsync(4_000);
    await done;
    expect(watch.messages.map(({ points }) => points.length)).toEqual([1, 100, 100, 49]);
    expect(watch.messages.flatMap(({ points }) => points)).toEqual(walk.points);
  });

  test('takes less time at a higher speed factor, but the watch never moves faster than 250 m/s', () => {
    expect(new Walk(journeyOf(0, 30_000, 600_000), 60).replayTime).toBe(10_000);
    const [start, far] = journeyOf(0, 60_000);
    if (!start || !far) throw new Error('No journey');
    const kilometre = new Walk([start, { ...far, latitude: start.latitude + 1 / 111.195 }], 1_000);
    expect(kilometre.replayTime).toBeGreaterThanOrEqual(4_000);
    expect(kilometre.replayTime).toBeLessThan(4_010);
  });

  test('reports valid points with the time at which they are sent and a plausible speed', async () => {
    const steps = fc.array(fc.record({ time: fc.integer({ min: 1, max: 60_000 }), north: fc.nat(2_000) }), {
      maxLength: 12,
    });
    const speed = fc.oneof(fc.double({ min: 1, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 1_000 }));
    await fc.assert(
      fc.asyncProperty(steps, speed, async (recorded, factor) => {
        let [offset, latitude] = [0, 45];
        const journey = recorded.map(({ time, north }): JourneyPoint => {
          offset += time;
          latitude += north / 111_195;
          return { latitude, longitude: 14, offset };
        });
        const walk = new Walk(journey, factor);
        const watch = createSlowWatch(0);
        const done = walk.replay(watch);
        await jest.advanceTimersByTimeAsync(walk.replayTime + 100);
        await done;
        expect(watch.messages.flatMap(({ points }) => points)).toEqual(walk.points);
        for (const { sentAtMs, points } of watch.messages) {
          expect(
            points.every((point) => validatePoint(point).isValid && point.positionTime <= START_TIME + sentAtMs),
          ).toBe(true);
        }
        walk.points.slice(1).forEach(({ positionTime }, index) => {
          const elapsed = positionTime - (walk.points[index]?.positionTime ?? 0);
          expect((recorded[index + 1]?.north ?? 0) / elapsed).toBeLessThan(0.32);
        });
        jest.setSystemTime(START_TIME);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});
