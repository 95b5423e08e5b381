import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CIRCLES,
  crossingsOf,
  DWELL_SECONDS,
  evaluateWalk,
  walksWithExactFixes,
  FENCES,
  fixAt,
  toSortedTexts,
  isCrossing,
  walksWithInaccurateFixes,
  START_TIME,
  UNKNOWN_STATES,
} from '../../../../test/support/fence-walks.js';
import type { FenceEventType } from '@family-watch/domain/locations/contracts/fence';
import type { Fix } from '../geometry/compile-shape.js';
import { evaluateLateFixes, evaluateDwell, type FenceEvent } from './evaluate-fences.js';
import type { FenceStates } from './fence-state.js';

/**
 * Evaluates batches in order of arrival, as the service does: evaluateLateFixes for a batch that begins before the
 * newest fix, otherwise evaluateFences.
 */
function evaluateBatches(batches: readonly (readonly Fix[])[]) {
  const track: Fix[] = [];
  const reported: FenceEvent[] = [];
  let states = UNKNOWN_STATES;
  for (const batch of batches) {
    const fixes = batch.toSorted((a, b) => a.time - b.time);
    const known = track.toSorted((a, b) => a.time - b.time);
    const isLate = (fixes[0]?.time ?? Infinity) <= (known.at(-1)?.time ?? 0);
    const { states: next, events } = isLate
      ? evaluateLateFixes(
          FENCES,
          states,
          { evaluatedFixes: known, lateFixes: fixes },
          { reportedEvents: reported, timeZone: 'UTC' },
        )
      : evaluateWalk(fixes, states);
    reported.push(...events);
    states = next;
    track.push(...fixes);
  }
  return { reported, states };
}

/** The fixes of a walk in time order, the same fixes in a random order of arrival, and the sizes of their batches. */
const fixesByArrival = (fixes: fc.Arbitrary<Fix[]>) =>
  fixes.chain((walk) =>
    fc.tuple(
      fc.constant(walk),
      fc.shuffledSubarray(walk, { minLength: walk.length }),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: walk.length, maxLength: walk.length }),
    ),
  );

function splitIntoBatches(fixes: readonly Fix[], sizes: readonly number[]): Fix[][] {
  const batches: Fix[][] = [];
  for (let start = 0; start < fixes.length; start += sizes[batches.length - 1] ?? 1) {
    batches.push(fixes.slice(start, start + (sizes[batches.length] ?? 1)));
  }
  return batches;
}

describe('evaluateLateFixes', () => {
  test('ends in the same states and reports as many crossings as an evaluation in time order', () => {
    fc.assert(
      fc.property(fixesByArrival(walksWithInaccurateFixes), ([walk, shuffled, sizes]) => {
        const inOrder = evaluateWalk(walk);
        const { reported, states } = evaluateBatches(splitIntoBatches(shuffled, sizes));
        const sidesOf = (fenceStates: FenceStates) =>
          fenceStates.map((state) => state && [state.inside, state.inside && state.since]);
        expect(sidesOf(states)).toEqual(sidesOf(inOrder.states));
        expect(matchCrossings(reported.filter(isCrossing), inOrder.events)).toEqual(crossingsOf(inOrder.events));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('reports DWELLED for each stay that lasts the dwell time, and no event twice', () => {
    fc.assert(
      fc.property(fixesByArrival(walksWithExactFixes), ([walk, shuffled, sizes]) => {
        const { reported } = evaluateBatches(splitIntoBatches(shuffled, sizes));
        for (const { fenceId, start, end } of staysWithDwell(evaluateWalk(walk).events)) {
          const dwelled = reported.filter((one) => one.fenceId === fenceId && one.type === 'DWELLED');
          expect(dwelled.some(({ time }) => time >= start && time <= end)).toBe(true);
        }
        expect(new Set(toSortedTexts(reported)).size).toBe(reported.length);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('reports nothing for fixes that were already evaluated', () => {
    fc.assert(
      fc.property(walksWithInaccurateFixes, fc.nat(40), (walk, index) => {
        const evaluatedBefore = walk.slice(0, index);
        const { states, events } = evaluateWalk(walk);
        const reported = { reportedEvents: events, timeZone: 'UTC' };
        const again = evaluateLateFixes(FENCES, states, { evaluatedFixes: walk, lateFixes: evaluatedBefore }, reported);
        expect(again).toEqual({ states, events: [] });
      }),
    );
  });

  test('does not change the current state when a fix newer than the late fixes is certainly inside or outside', () => {
    const walk = [fixAt(START_TIME, -300), fixAt(START_TIME + 60_000, 0)];
    const { states, events: before } = evaluateWalk(walk);
    const late = [fixAt(START_TIME + 20_000, -320), fixAt(START_TIME + 30_000, 800), fixAt(START_TIME + 40_000, -300)];
    const { states: after, events } = evaluateLateFixes(
      FENCES,
      states,
      { evaluatedFixes: walk, lateFixes: late },
      { reportedEvents: before, timeZone: 'UTC' },
    );
    expect(after[0]).toEqual(states[0]);
    expect(toSortedTexts(events)).toEqual([
      `school ${START_TIME + 30_000} ENTERED`,
      `school ${START_TIME + 40_000} LEFT`,
    ]);
  });

  test('evaluates late fixes within the time limit for a child with thousands of crossings', () => {
    const walk = Array.from({ length: 17_280 }, (_, index) => fixAt(START_TIME + index * 5_000, index % 2 ? 0 : 3_000));
    const { states, events: before } = evaluateWalk(walk);
    const track = {
      evaluatedFixes: walk,
      lateFixes: [fixAt(START_TIME + 2_500, 0), fixAt(START_TIME + 12_500, 3_000)],
    };
    const { states: after, events } = evaluateLateFixes(FENCES, states, track, {
      reportedEvents: before,
      timeZone: 'UTC',
    });
    expect(after).toEqual(states);
    expect(events).toEqual([]);
  });

  test('does not repeat a DWELLED that evaluateDwell has reported', () => {
    const walk = [fixAt(START_TIME, -300), fixAt(START_TIME + 2_000, 0)];
    const due = START_TIME + (DWELL_SECONDS + 2) * 1_000;
    const stayed = evaluateWalk(walk);
    const { states, events: dwelled } = evaluateDwell(FENCES, stayed.states, due);
    const reported = { reportedEvents: [...stayed.events, ...dwelled], timeZone: 'UTC' };
    const track = { evaluatedFixes: walk, lateFixes: [fixAt(START_TIME + 1_000, 0)] };
    const { states: after, events } = evaluateLateFixes(FENCES, states, track, reported);
    expect(events).toEqual([]);
    expect(after[0]).toEqual({ inside: true, since: START_TIME + 1_000, dwelled: true });
  });
});

/**
 * Maps each reported crossing to the crossing of the time-ordered evaluation that it corresponds to: the last one of
 * the same fence and type that is not later.
 */
function matchCrossings(reported: readonly FenceEvent[], inOrder: readonly FenceEvent[]): string[] {
  return toSortedTexts(
    reported.map((one) => {
      const sameType = inOrder.filter(({ fenceId, type }) => fenceId === one.fenceId && type === one.type);
      return sameType.findLast(({ time }) => time <= one.time) ?? { ...one, fenceId: 'none' };
    }),
  );
}

interface Stay {
  fenceId: string;
  start: number;
  end: number;
}

function staysWithDwell(events: readonly FenceEvent[]): Stay[] {
  const eventsOf = (id: string, eventType: FenceEventType) =>
    events.filter(({ fenceId, type }) => fenceId === id && type === eventType);
  return CIRCLES.flatMap(({ fenceId }) =>
    eventsOf(fenceId, 'DWELLED').map(({ time }) => ({
      fenceId,
      start: eventsOf(fenceId, 'ENTERED').findLast((one) => one.time <= time)?.time ?? 0,
      end: eventsOf(fenceId, 'LEFT').find((one) => one.time >= time)?.time ?? Infinity,
    })),
  );
}
