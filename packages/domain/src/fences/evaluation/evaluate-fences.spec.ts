import { describe, expect, it } from '@jest/globals';
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
  fence,
  FENCES,
  fixAt,
  toSortedTexts,
  walksWithInaccurateFixes,
  START_TIME,
  UNKNOWN_STATES,
} from '../../../test/support/fence-walks.js';
import { EXIT_MARGIN_METRES } from '../geometry/compile-shape.js';
import type { Fix } from '../geometry/compile-shape.js';
import { compileFences, nextDwellTime } from './fence-state.js';
import { evaluateFences, evaluateDwell } from './evaluate-fences.js';
import type { FenceEvent } from './evaluate-fences.js';

/**
 * Brute-force evaluation: compares every fix with every fence and reports changes of side between two certain fixes.
 */
function evaluateByBruteForce(fixes: readonly Fix[]): FenceEvent[] {
  return CIRCLES.flatMap(({ fenceId, at, size }) => {
    const certain = fixes.flatMap(({ time, latitude, longitude, radius }) => {
      const away = distance(pointEastOfHome(at), [longitude, latitude], { units: 'meters' });
      if (away + radius <= size) return [{ time, inside: true }];
      return away - radius >= size + EXIT_MARGIN_METRES ? [{ time, inside: false }] : [];
    });
    return certain.flatMap(({ time, inside }, index): FenceEvent[] => {
      const before = certain[index - 1];
      return !before || before.inside === inside ? [] : [{ fenceId, type: inside ? 'ENTERED' : 'LEFT', time }];
    });
  });
}

describe('evaluateFences in time order', () => {
  it('reports exactly the crossings that a brute-force evaluation finds', () => {
    fc.assert(
      fc.property(fc.oneof(walksWithExactFixes, walksWithInaccurateFixes), (fixes) => {
        expect(crossingsOf(evaluateWalk(fixes).events)).toEqual(toSortedTexts(evaluateByBruteForce(fixes)));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('reports the same events and states for any split into batches', () => {
    fc.assert(
      fc.property(walksWithInaccurateFixes, fc.array(fc.nat(40)), (fixes, cuts) => {
        const whole = evaluateWalk(fixes);
        const events: FenceEvent[] = [];
        let states = UNKNOWN_STATES;
        const ends = [...cuts.filter((cut) => cut < fixes.length).toSorted((a, b) => a - b), fixes.length];
        for (const [index, end] of ends.entries()) {
          const part = evaluateWalk(fixes.slice(ends[index - 1] ?? 0, end), states);
          events.push(...part.events);
          states = part.states;
        }
        expect(events).toEqual(whole.events);
        expect(states).toEqual(whole.states);
      }),
    );
  });

  it('reports DWELLED once, whether elapsed time or the next fix causes the event', () => {
    fc.assert(
      fc.property(
        walksWithInaccurateFixes,
        fc.array(fc.nat(400), { minLength: 40, maxLength: 40 }),
        (fixes, pauses) => {
          const events: FenceEvent[] = [];
          let states = UNKNOWN_STATES;
          for (const [index, fix] of fixes.entries()) {
            const until = Math.min(fix.time, (fixes[index - 1]?.time ?? 0) + (pauses[index] ?? 0) * 1_000);
            const stayed = evaluateDwell(FENCES, states, until);
            const next = evaluateWalk([fix], stayed.states);
            events.push(...stayed.events, ...next.events);
            states = next.states;
          }
          expect(toSortedTexts(events)).toEqual(toSortedTexts(evaluateWalk(fixes).events));
        },
      ),
    );
  });
});

describe('inaccurate fixes', () => {
  it('report no crossing for a stationary child, however much they vary within their accuracy radius', () => {
    const jitter = fc.array(fc.tuple(fc.integer({ min: 5, max: 150 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.integer({ min: -200, max: 300 }), jitter, fc.boolean(), (position, noise, westwards) => {
        const fixes = noise.map(([radius, part], index) => {
          const off = radius * part * ((index % 2 === 0) === westwards ? -1 : 1);
          return fixAt(START_TIME + index * 1_000, position + off, radius);
        });
        expect(crossingsOf(evaluateWalk(fixes).events)).toEqual([]);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('leave the state unchanged while their accuracy circle crosses the edge of the fence', () => {
    const edge = (metres: number, index: number) => fixAt(START_TIME + index * 60_000, metres);
    const within = [0, 99, 101, 108, 99, 109, 95, 105].map(edge);
    expect(crossingsOf(evaluateWalk(within).events.filter(({ fenceId }) => fenceId === 'home'))).toEqual([]);
    const without = [150, 105, 101, 109, 130, 104].map((metres, index) => edge(-metres, index));
    expect(crossingsOf(evaluateWalk(without).events)).toEqual([]);
  });
});

describe('the first fix', () => {
  it('sets the state without an event', () => {
    expect(evaluateWalk([fixAt(START_TIME, 25)]).events).toEqual([]);
    expect(evaluateWalk([fixAt(START_TIME, 25)]).states).toMatchObject([
      { inside: true, since: START_TIME },
      null,
      { inside: false },
    ]);
  });

  it('is ignored when it is older than the activation of the fence', () => {
    const late = compileFences([fence('new', circleAt(0, 100), START_TIME)]);
    const fixes = [
      fixAt(START_TIME - 2_000, -500),
      fixAt(START_TIME - 1_000, 0),
      fixAt(START_TIME, 0),
      fixAt(START_TIME + 1_000, 300),
    ];
    const { events } = evaluateFences(late, [null], fixes, 'UTC');
    expect(events).toEqual([{ fenceId: 'new', type: 'LEFT', time: START_TIME + 1_000 }]);
  });
});

describe('dwelling', () => {
  const arrived = [fixAt(START_TIME, -300), fixAt(START_TIME + 1_000, 0)];
  const due = START_TIME + 1_000 + DWELL_SECONDS * 1_000;
  const typesUntil = (time: number) => evaluateDwell(FENCES, evaluateWalk(arrived).states, time).events;

  it('is reported when the dwell time has passed, not before, and again after the next arrival', () => {
    expect(nextDwellTime(FENCES, evaluateWalk(arrived).states)).toBe(due);
    expect(typesUntil(due - 1)).toEqual([]);
    expect(typesUntil(due)).toEqual([{ fenceId: 'home', type: 'DWELLED', time: due }]);
    const again = [...arrived, fixAt(due + 1, 10), fixAt(due + 2, -300), fixAt(due + 3, 0), fixAt(due * 2, 0)];
    const dwelled = evaluateWalk(again).events.filter(({ type }) => type === 'DWELLED');
    expect(dwelled.map(({ time }) => time)).toEqual([due, due + 3 + DWELL_SECONDS * 1_000]);
  });

  it('is not reported when the child leaves just before the dwell time has passed', () => {
    const left = evaluateWalk([...arrived, fixAt(due - 1, -300), fixAt(due + 1, -300)]);
    expect(left.events.map(({ type }) => type)).toEqual(['ENTERED', 'LEFT']);
    expect(nextDwellTime(FENCES, left.states)).toBeNull();
  });

  it('is neither scheduled nor reported when the fence does not notify of DWELLED', () => {
    const muted = FENCES.map((one) => ({ ...one, notify: { entered: false, left: false, dwelled: false } }));
    const { events, states } = evaluateFences(muted, UNKNOWN_STATES, [...arrived, fixAt(due * 2, -300)], 'UTC');
    expect(events).toEqual([]);
    expect(nextDwellTime(muted, evaluateFences(muted, UNKNOWN_STATES, arrived, 'UTC').states)).toBeNull();
    expect(states[0]).toMatchObject({ inside: false, since: due * 2 });
  });
});
