import { compareFixes } from '../geometry/compile-shape.js';
import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence, FenceState, FenceStates } from './fence-state.js';

/** An ENTERED, LEFT or DWELLED of a fence, whether or not the family is notified. `time`: Unix milliseconds. */
export interface Crossing {
  /** Index of the fence. */
  fenceIndex: number;
  type: 'ENTERED' | 'LEFT' | 'DWELLED';
  time: number;
}

export interface CrossingResult {
  states: FenceStates;
  crossings: Crossing[];
}

/**
 * Applies fixes, in time order, to the states before the first fix. The first fix that is certainly inside or outside
 * sets the state without a crossing. A fix whose side is uncertain changes nothing.
 */
export function applyFixes(
  fences: readonly CompiledFence[],
  states: FenceStates,
  fixes: readonly Fix[],
): CrossingResult {
  const crossings: Crossing[] = [];
  const next = fences.map((_, index) => states[index] ?? null);
  for (const fix of fixes) {
    for (const [index, fence] of fences.entries()) {
      if (fix.time < fence.activeFrom) continue;
      const state = applyDwell(fence, index, next[index] ?? null, fix.time, crossings);
      next[index] = applyFix(fence, index, state, fix, crossings);
    }
  }
  return { states: next, crossings };
}

/**
 * Applies elapsed time up to `until` (inclusive, Unix milliseconds): a child that was inside for the dwell time counts
 * as dwelled.
 */
export function applyElapsedTime(fences: readonly CompiledFence[], states: FenceStates, until: number): CrossingResult {
  const crossings: Crossing[] = [];
  const next = fences.map((fence, index) => applyDwell(fence, index, states[index] ?? null, until, crossings));
  return { states: next, crossings };
}

function applyDwell(
  { dwell }: CompiledFence,
  fence: number,
  state: FenceState | null,
  until: number,
  crossings: Crossing[],
): FenceState | null {
  if (!state?.inside || state.dwelled || state.since + dwell > until) return state;
  crossings.push({ fenceIndex: fence, type: 'DWELLED', time: state.since + dwell });
  return { ...state, dwelled: true };
}

function applyFix(
  { sideOf, activeFrom }: CompiledFence,
  fence: number,
  state: FenceState | null,
  fix: Fix,
  crossings: Crossing[],
): FenceState | null {
  const side = sideOf(fix);
  const inside = side === 'IN';
  if (side === 'UNSURE' || state?.inside === inside) return state;
  if (!state) return { inside, since: inside ? fix.time : activeFrom, dwelled: false };
  crossings.push({ fenceIndex: fence, type: inside ? 'ENTERED' : 'LEFT', time: fix.time });
  return { inside, since: fix.time, dwelled: false };
}

/** The part of a track to which late fixes belong. */
export interface FixHistory {
  /** Fixes already evaluated, in time order: some from before the first late fix, and all later fixes. */
  evaluatedFixes: readonly Fix[];
  /** Fixes not yet evaluated; some may be newer than all evaluated fixes. */
  lateFixes: readonly Fix[];
}

/**
 * Evaluates the track without and with the late fixes, and returns the crossings that are new. A late fix can only add
 * crossings or move a crossing to an earlier time. Each reported crossing corresponds to the last crossing of the same
 * type up to the same time. A crossing that was not reported only because notifications were off is not returned. The
 * present state follows from the whole track in time order: a late fix changes the state only if no later fix is
 * certainly inside or outside.
 *
 * @param reported crossings already reported for the time of this track
 */
export function findMissedCrossings(
  fences: readonly CompiledFence[],
  present: FenceStates,
  { evaluatedFixes: known, lateFixes: late }: FixHistory,
  reported: readonly Crossing[],
): CrossingResult {
  const unknown = fences.map(() => null);
  const before = applyFixes(fences, unknown, known);
  const after = applyFixes(fences, unknown, [...known, ...late].toSorted(compareFixes));
  const states = fences.map((fence, index) =>
    mergePresentState(fence, present[index] ?? null, before.states[index] ?? null, after.states[index] ?? null),
  );
  const byFence = [reported, before.crossings, after.crossings].map((all) =>
    Map.groupBy(all, ({ fenceIndex: fence }) => fence),
  );
  const missed = fences.flatMap((_, fence) => {
    const [ownReported = [], ownBefore = [], ownAfter = []] = byFence.map((crossings) => crossings.get(fence));
    return findUnmatchedCrossings(ownAfter, [...ownReported, ...findUnmatchedCrossings(ownBefore, ownReported)]);
  });
  const isMissed = new Set(missed);
  return { states, crossings: after.crossings.filter((crossing) => isMissed.has(crossing)) };
}

/**
 * Returns the present state unless the late fixes changed the state, because the present state may include fixes after
 * the track.
 */
function mergePresentState(
  { dwell }: CompiledFence,
  present: FenceState | null,
  before: FenceState | null,
  after: FenceState | null,
): FenceState | null {
  if (!after) return present;
  if (before?.inside === after.inside && before.since === after.since) {
    return present && { ...present, dwelled: present.dwelled || (after.dwelled && !before.dwelled) };
  }
  const isReported = present !== null && present.inside && present.dwelled && present.since + dwell >= after.since;
  return { ...after, dwelled: after.dwelled || (after.inside && isReported) };
}

/**
 * Returns the crossings of one fence, in time order, that correspond to no existing crossing. A child can have
 * thousands of crossings in a day, so the crossings are not compared pairwise.
 */
function findUnmatchedCrossings(crossings: readonly Crossing[], existing: readonly Crossing[]): Crossing[] {
  const ofType = Map.groupBy(crossings, ({ type }) => type);
  const accounted = new Set(existing.map(({ type, time }) => findLastCrossingUpTo(ofType.get(type) ?? [], time)));
  const dwelled = existing.filter(({ type }) => type === 'DWELLED');
  return crossings.filter((one, index) =>
    one.type === 'DWELLED' ? !hasDwelledInStay(index, crossings, dwelled) : !accounted.has(one),
  );
}

/** Returns the last crossing up to `time`, by binary search; `crossings` must be in time order. */
function findLastCrossingUpTo(crossings: readonly Crossing[], time: number): Crossing | undefined {
  let [low, high] = [0, crossings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((crossings[middle]?.time ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return crossings[low - 1];
}

/**
 * Returns true if `dwelled` has an entry within the stay around `index`, which the neighbouring crossings began and
 * ended.
 */
function hasDwelledInStay(index: number, crossings: readonly Crossing[], dwelled: readonly Crossing[]): boolean {
  const start = crossings[index - 1]?.time ?? -Infinity;
  const end = crossings[index + 1]?.time ?? Infinity;
  return dwelled.some(({ time }) => time >= start && time <= end);
}
