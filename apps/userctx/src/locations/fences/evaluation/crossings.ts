import { compareFixes, type Fix } from '../geometry/compile-shape.js';
import type { CompiledFence, FenceState, FenceStates } from './fence-state.js';

/** An event ENTERED, LEFT or DWELLED, whether or not the family is notified of it. `time`: Unix milliseconds. */
export interface Crossing {
  /** Index of the fence in the list of compiled fences. */
  fenceIndex: number;
  type: 'ENTERED' | 'LEFT' | 'DWELLED';
  time: number;
}

export interface CrossingResult {
  states: FenceStates;
  crossings: Crossing[];
}

/**
 * Returns the crossings that the fixes cause, and the states after them. `states`: the states before the first fix.
 * `fixes`: in time order. The first fix that is certainly inside or outside sets a state without a crossing. A fix
 * whose side is uncertain changes nothing.
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
 * Returns the DWELLED events that are due by `until` (inclusive, Unix milliseconds) although no fix arrived, and the
 * states after them.
 */
export function applyElapsedTime(fences: readonly CompiledFence[], states: FenceStates, until: number): CrossingResult {
  const crossings: Crossing[] = [];
  const next = fences.map((fence, index) => applyDwell(fence, index, states[index] ?? null, until, crossings));
  return { states: next, crossings };
}

function applyDwell(
  { dwell }: CompiledFence,
  fenceIndex: number,
  state: FenceState | null,
  until: number,
  crossings: Crossing[],
): FenceState | null {
  if (!state?.inside || state.dwelled || state.since + dwell > until) return state;
  crossings.push({ fenceIndex, type: 'DWELLED', time: state.since + dwell });
  return { ...state, dwelled: true };
}

function applyFix(
  { sideOf, activeFrom }: CompiledFence,
  fenceIndex: number,
  state: FenceState | null,
  fix: Fix,
  crossings: Crossing[],
): FenceState | null {
  const side = sideOf(fix);
  const inside = side === 'IN';
  if (side === 'UNSURE' || state?.inside === inside) return state;
  if (!state) return { inside, since: inside ? fix.time : activeFrom, dwelled: false };
  crossings.push({ fenceIndex, type: inside ? 'ENTERED' : 'LEFT', time: fix.time });
  return { inside, since: fix.time, dwelled: false };
}

/** The part of a track to which late fixes belong. */
export interface FixHistory {
  /** Fixes already evaluated, in time order: some fixes before the first late fix, and all fixes after it. */
  evaluatedFixes: readonly Fix[];
  /** Fixes not yet evaluated; some may be newer than all evaluated fixes. */
  lateFixes: readonly Fix[];
}

/**
 * Evaluates the track without and with the late fixes. Returns the crossings that only the late fixes cause, and the
 * present states. A late fix can only add crossings or move a crossing to an earlier time. A reported crossing
 * corresponds to the last crossing of the same type that is not later. A crossing without the late fixes that was not
 * reported, because notifications were off, is not returned. A late fix changes a present state only if no later fix is
 * certainly inside or outside.
 *
 * @param present states after all fixes that were evaluated before
 * @param reported crossings that were already reported for the period of this track
 */
export function findMissedCrossings(
  fences: readonly CompiledFence[],
  present: FenceStates,
  { evaluatedFixes, lateFixes }: FixHistory,
  reported: readonly Crossing[],
): CrossingResult {
  const unknown = fences.map(() => null);
  const withoutLate = applyFixes(fences, unknown, evaluatedFixes);
  const withLate = applyFixes(fences, unknown, [...evaluatedFixes, ...lateFixes].toSorted(compareFixes));
  const states = fences.map((fence, index) =>
    mergePresentState(fence, present[index] ?? null, withoutLate.states[index] ?? null, withLate.states[index] ?? null),
  );
  const crossingsByFence = [reported, withoutLate.crossings, withLate.crossings].map((crossings) =>
    Map.groupBy(crossings, ({ fenceIndex }) => fenceIndex),
  );
  const missed = fences.flatMap((_, fenceIndex) => {
    const [ofReported = [], ofWithoutLate = [], ofWithLate = []] = crossingsByFence.map((groups) =>
      groups.get(fenceIndex),
    );
    return findUnmatchedCrossings(ofWithLate, [...ofReported, ...findUnmatchedCrossings(ofWithoutLate, ofReported)]);
  });
  const isMissed = new Set(missed);
  return { states, crossings: withLate.crossings.filter((crossing) => isMissed.has(crossing)) };
}

/**
 * Returns the state `withLate` (after the track with late fixes) if it differs from `withoutLate` (after the track
 * without them). Otherwise returns the `present` state, because it may include fixes that are newer than the track.
 */
function mergePresentState(
  { dwell }: CompiledFence,
  present: FenceState | null,
  withoutLate: FenceState | null,
  withLate: FenceState | null,
): FenceState | null {
  if (!withLate) return present;
  if (withoutLate?.inside === withLate.inside && withoutLate.since === withLate.since) {
    return present && { ...present, dwelled: present.dwelled || (withLate.dwelled && !withoutLate.dwelled) };
  }
  const isReported = present !== null && present.inside && present.dwelled && present.since + dwell >= withLate.since;
  return { ...withLate, dwelled: withLate.dwelled || (withLate.inside && isReported) };
}

/**
 * Returns the `crossings` of one fence (in time order) to which none of `existing` corresponds. A child can have
 * thousands of crossings in a day, so the crossings are not compared pairwise.
 */
function findUnmatchedCrossings(crossings: readonly Crossing[], existing: readonly Crossing[]): Crossing[] {
  const byType = Map.groupBy(crossings, ({ type }) => type);
  const matched = new Set(existing.map(({ type, time }) => findLastCrossingUpTo(byType.get(type) ?? [], time)));
  const dwelled = existing.filter(({ type }) => type === 'DWELLED');
  return crossings.filter((one, index) =>
    one.type === 'DWELLED' ? !hasDwelledInStay(index, crossings, dwelled) : !matched.has(one),
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
 * Returns true if `dwelled` has an entry in the stay of the crossing at `index`. The stay is the period between the
 * crossings before and after it.
 */
function hasDwelledInStay(index: number, crossings: readonly Crossing[], dwelled: readonly Crossing[]): boolean {
  const start = crossings[index - 1]?.time ?? -Infinity;
  const end = crossings[index + 1]?.time ?? Infinity;
  return dwelled.some(({ time }) => time >= start && time <= end);
}
