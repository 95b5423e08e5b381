import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { checkPoint } from '@family-watch/domain/locations/contracts/check-point';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { JourneyPoint } from './journey.js';
import { Walk } from './walk.js';

const BEGIN = Date.UTC(2026, 0, 1);

function journeyOf(...offsets: number[]): JourneyPoint[] {
  return offsets.map((offset) => ({ latitude: 45, longitude: 14, offset }));
}

describe('the points of a walk', () => {
  it('end when the replay ends, as far apart as they were recorded', () => {
    const walk = new Walk(journeyOf(0, 30_000, 600_000), 60, BEGIN);
    expect(walk.replayTime).toBe(10_000);
    expect(walk.points.map(({ positionTime }) => positionTime - BEGIN)).toEqual([-590_000, -560_000, 10_000]);
  });

  it('are well-formed, and of the past when they are sent, at any speed', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 3_600_000 }), { maxLength: 20 });
    const speed = fc.oneof(fc.double({ min: 1, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 1_000 }));
    fc.assert(
      fc.property(steps, speed, (recorded, factor) => {
        let offset = 0;
        const journey = journeyOf(0, ...recorded.map((step) => (offset += step)));
        new Walk(journey, factor, BEGIN).points.forEach((point, index) => {
          const sentAt = BEGIN + (journey[index]?.offset ?? 0) / factor;
          expect(checkPoint(point).ok).toBe(true);
          expect(point.positionTime).toBeLessThanOrEqual(sentAt + 1e-3);
        });
      }),
    );
  });
});

describe('the replay of a walk', () => {
  beforeEach(() => void jest.useFakeTimers({ now: BEGIN, doNotFake: ['performance'] }));
  afterEach(() => void jest.useRealTimers());

  /** A watch whose messages take so many milliseconds. */
  function watchTaking(milliseconds: number) {
    const messages: { at: number; points: Location[] }[] = [];
    const report = async (points: Location[]): Promise<void> => {
      messages.push({ at: Date.now() - BEGIN, points });
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    };
    return { messages, report };
  }

  it('sends each point at its time, in order', async () => {
    const walk = new Walk(journeyOf(0, 1_000, 5_000), 10);
    const watch = watchTaking(0);
    const done = walk.replay(watch);
    await jest.advanceTimersByTimeAsync(600);
    await done;
    expect(watch.messages.map(({ at, points }) => [at, points.length])).toEqual([
      [0, 1],
      [100, 1],
      [500, 1],
    ]);
    expect(watch.messages.flatMap(({ points }) => points)).toEqual(walk.points);
  });

  it('sends what became due meanwhile together, at most 100 points a message', async () => {
    const walk = new Walk(journeyOf(...Array.from({ length: 250 }, (_, index) => index)), 1);
    const watch = watchTaking(1_000);
    const done = walk.replay(watch);
    await jest.advanceTimersByTimeAsync(4_000);
    await done;
    expect(watch.messages.map(({ points }) => points.length)).toEqual([1, 100, 100, 49]);
    expect(watch.messages.flatMap(({ points }) => points)).toEqual(walk.points);
  });
});
