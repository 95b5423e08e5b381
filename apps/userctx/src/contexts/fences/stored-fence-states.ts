import type { CompiledFence, FenceStates } from '@family-watch/domain/fences/evaluation/fence-state';

/**
 * A stored fence state as a compact tuple: the fence, when it was activated, whether the child is inside, since when,
 * and whether the stay has reached the dwell time. Times in Unix milliseconds.
 */
export type StoredFenceState = [fenceId: string, activeFrom: number, inside: 0 | 1, since: number, dwelled: 0 | 1];

/**
 * Returns the states in the order of the fences. Ignores stored states of fences that were moved, enabled again or
 * deleted since.
 */
export function toFenceStates(fences: readonly CompiledFence[], stored: readonly StoredFenceState[]): FenceStates {
  return fences.map(({ fenceId, activeFrom }) => {
    const found = stored.find(([id, from]) => id === fenceId && from === activeFrom);
    return found ? { inside: found[2] === 1, since: found[3], dwelled: found[4] === 1 } : null;
  });
}

export function toStoredFenceStates(fences: readonly CompiledFence[], states: FenceStates): StoredFenceState[] {
  return fences.flatMap(({ fenceId, activeFrom }, index): StoredFenceState[] => {
    const state = states[index];
    return state ? [[fenceId, activeFrom, state.inside ? 1 : 0, state.since, state.dwelled ? 1 : 0]] : [];
  });
}
