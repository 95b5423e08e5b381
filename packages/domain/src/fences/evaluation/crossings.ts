import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence } from './compiled-fence.js';
import type { FenceState, FenceStates } from './fence-state.js';

/** What happened at a fence, whether anybody asked to be told or not. `time`: Unix milliseconds. */
export interface Crossing {
  /** Which one of the fences. */
  fence: number;
  type: 'ENTERED' | 'LEFT' | 'DWELLED';
  time: number;
}

export interface CrossingResult {
  states: FenceStates;
  crossings: Crossing[];
}

/**
 * Follows fixes, in the order of their times, from the states before them. The first fix that is sure of a side sets
 * the state and is no crossing; one that is unsure leaves it.
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
      const state = stay(fence, index, next[index] ?? null, fix.time, crossings);
      next[index] = step(fence, index, state, fix, crossings);
    }
  }
  return { states: next, crossings };
}

/** What time alone makes of it up to `until` (inclusive): who stays inside has dwelled. */
export function applyElapsedTime(fences: readonly CompiledFence[], states: FenceStates, until: number): CrossingResult {
  const crossings: Crossing[] = [];
  const next = fences.map((fence, index) => stay(fence, index, states[index] ?? null, until, crossings));
  return { states: next, crossings };
}

function stay(
  { dwell }: CompiledFence,
  fence: number,
  state: FenceState | null,
  until: number,
  crossings: Crossing[],
): FenceState | null {
  if (!state?.inside || state.dwelled || state.since + dwell > until) return state;
  crossings.push({ fence, type: 'DWELLED', time: state.since + dwell });
  return { ...state, dwelled: true };
}

function step(
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
  crossings.push({ fence, type: inside ? 'ENTERED' : 'LEFT', time: fix.time });
  return { inside, since: fix.time, dwelled: false };
}
