import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence } from './compiled-fence.js';
import type { FenceState, FenceStates } from './fence-state.js';

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
