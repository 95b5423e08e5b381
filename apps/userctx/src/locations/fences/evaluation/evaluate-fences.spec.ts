import { describe, expect, test } from '@jest/globals';
import { distance } from '@turf/distance';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import {
  CIRCLES,
  circleAt,
  crossingsOf,
  DWELL_SECONDS,
  pointEastOfHome,
  evaluateWalk,
  walksWithExactFixes,
  createFence,
  FENCES,
  fixAt,
  toSortedTexts,
  walksWithInaccurateFixes,
  START_TIME,
  UNKNOWN_STATES,
} from '../../../../test/support/fence-walks.js';
import { EXIT_MARGIN_METRES, type Fix } from '../geometry/compile-shape.js';
import { compileFences, nextDwellTime } from './fence-state.js';
import { evaluateFences, evaluateDwell, type FenceEvent } from './evaluate-fences.js';

/**
 * Brute-force evaluation: compares every fix with every fence and reports changes of side between two certain fixes.
 */
function evaluateByBruteForce(fixes: readonly Fix[]): FenceEvent[] {
  return CIRCLES.flatMap(({ fenceId, metresEast, radius: fenceRadius }) => {
    const certain = fixes.flatMap(({ time, latitude, longitude, radius }) => {
      const metresFromCentre = distance(pointEastOfHome(metresEast), [longitude, latitude], { units: 'meters' });
      if (metresFromCentre + radius <= fenceRadius) return [{ time, inside: true }];
      return metresFromCentre - radius >= fenceRadius + EXIT_MARGIN_METRES ? [{ time, inside: false }] : [];
    });
    return certain.flatMap(({ time, inside }, index): FenceEvent[] => {
      const before = certain[index - 1];
      return !before || before.inside === inside ? [] : [{ fenceId, type: inside ? 'ENTERED' : 'LEFT', time }];
    });
  });
}

describe('evaluateFences in time order', () => {
  test('reports exactly the crossings that a brute-force evaluation finds', () => {
    fc.assert(
      fc.property(fc.oneof(walksWithExactFixes, walksWithInaccurateFixes), (fixes) => {
        expect(crossingsOf(evaluateWalk(fixes).events)).toEqual(toSortedTexts(evaluateByBruteForce(fixes)));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('reports the same events and states for any split into batches', () => {
    fc.assert(
      fc.property(walksWithInaccurateFixes, fc.array(fc.nat(40)), (fixes, cuts) => {
        const unsplit = evaluateWalk(fixes);
        const events: FenceEvent[] = [];
        let states = UNKNOWN_STATES;
        const ends = [...cuts.filter((cut) => cut < fixes.length).toSorted((a, b) => a - b), fixes.length];
        for (const [index, end] of ends.entries()) {
          const batch = evaluateWalk(fixes.slice(ends[index - 1] ?? 0, end), states);
          events.push(...batch.events);
          states = batch.states;
        }
        expect(events).toEqual(unsplit.events);
        expect(states).toEqual(unsplit.states);
      }),
    );
  });

  test('reports DWELLED once, whether elapsed time or the next fix causes the event', () => {
    fc.assert(
      fc.property(
        walksWithInaccurateFixes,
        fc.array(fc.nat(400), { minLength: 40, maxLength: 40 }),
        (fixes, pauses) => {
          const events: FenceEvent[] = [];
          let states = UNKNOWN_STATES;
          for (const [index, fix] of fixes.entries()) {
            const until = Math.min(fix.time, (fixes[index - 1]?.time ?? 0) + (pauses[index] ?? 0) * 1_000);
            const afterPause = evaluateDwell(FENCES, states, until);
            const afterFix = evaluateWalk([fix], afterPause.states);
            events.push(...afterPause.events, ...afterFix.events);
            states = afterFix.states;
          }
          expect(toSortedTexts(events)).toEqual(toSortedTexts(evaluateWalk(fixes).events));
        },
      ),
    );
  });
});

describe('evaluateFences with inaccurate fixes', () => {
  test('reports no crossing for a stationary child whose fixes vary within their accuracy radius', () => {
    const jitter = fc.array(fc.tuple(fc.integer({ min: 5, max: 150 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.integer({ min: -200, max: 300 }), jitter, fc.boolean(), (metresEast, deviations, westFirst) => {
        const fixes = deviations.map(([radius, fraction], index) => {
          const deviation = radius * fraction * ((index % 2 === 0) === westFirst ? -1 : 1);
          return fixAt(START_TIME + index * 1_000, metresEast + deviation, radius);
        });
        expect(crossingsOf(evaluateWalk(fixes).events)).toEqual([]);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('reports no crossing for fixes between the edge of a fence and the exit margin', () => {
    const toFixEachMinute = (metresEast: number, index: number) => fixAt(START_TIME + index * 60_000, metresEast);
    const fromInside = [0, 99, 101, 108, 99, 109, 95, 105].map(toFixEachMinute);
    expect(crossingsOf(evaluateWalk(fromInside).events.filter(({ fenceId }) => fenceId === 'home'))).toEqual([]);
    const fromOutside = [150, 105, 101, 109, 130, 104].map((metres, index) => toFixEachMinute(-metres, index));
    expect(crossingsOf(evaluateWalk(fromOutside).events)).toEqual([]);
  });
});

describe('evaluateFences with the first fix', () => {
  test('sets the states without an event', () => {
    expect(evaluateWalk([fixAt(START_TIME, 25)]).events).toEqual([]);
    expect(evaluateWalk([fixAt(START_TIME, 25)]).states).toMatchObject([
      { inside: true, since: START_TIME },
      null,
      { inside: false },
    ]);
  });

  test('ignores fixes from before the activation of the fence', () => {
    const activatedLater = compileFences([createFence('new', circleAt(0, 100), START_TIME)]);
    const fixes = [
      fixAt(START_TIME - 2_000, -500),
      fixAt(START_TIME - 1_000, 0),
      fixAt(START_TIME, 0),
      fixAt(START_TIME + 1_000, 300),
    ];
    const { events } = evaluateFences(activatedLater, [null], fixes, 'UTC');
    expect(events).toEqual([{ fenceId: 'new', type: 'LEFT', time: START_TIME + 1_000 }]);
  });
});

describe('dwell evaluation', () => {
  const arrived = [fixAt(START_TIME, -300), fixAt(START_TIME + 1_000, 0)];
  const due = START_TIME + 1_000 + DWELL_SECONDS * 1_000;
  const eventsUntil = (time: number) => evaluateDwell(FENCES, evaluateWalk(arrived).states, time).events;

  test('reports DWELLED once the dwell time has passed, and again after the next arrival', () => {
    expect(nextDwellTime(FENCES, evaluateWalk(arrived).states)).toBe(due);
    expect(eventsUntil(due - 1)).toEqual([]);
    expect(eventsUntil(due)).toEqual([{ fenceId: 'home', type: 'DWELLED', time: due }]);
    const again = [...arrived, fixAt(due + 1, 10), fixAt(due + 2, -300), fixAt(due + 3, 0), fixAt(due * 2, 0)];
    const dwelled = evaluateWalk(again).events.filter(({ type }) => type === 'DWELLED');
    expect(dwelled.map(({ time }) => time)).toEqual([due, due + 3 + DWELL_SECONDS * 1_000]);
  });

  test('does not report DWELLED when the child leaves just before the dwell time has passed', () => {
    const left = evaluateWalk([...arrived, fixAt(due - 1, -300), fixAt(due + 1, -300)]);
    expect(left.events.map(({ type }) => type)).toEqual(['ENTERED', 'LEFT']);
    expect(nextDwellTime(FENCES, left.states)).toBeNull();
  });

  test('neither schedules nor reports DWELLED when the fence does not notify of DWELLED', () => {
    const muted = FENCES.map((one) => ({ ...one, notify: { entered: false, left: false, dwelled: false } }));
    const { events, states } = evaluateFences(muted, UNKNOWN_STATES, [...arrived, fixAt(due * 2, -300)], 'UTC');
    expect(events).toEqual([]);
    expect(nextDwellTime(muted, evaluateFences(muted, UNKNOWN_STATES, arrived, 'UTC').states)).toBeNull();
    expect(states[0]).toMatchObject({ inside: false, since: due * 2 });
  });
});
