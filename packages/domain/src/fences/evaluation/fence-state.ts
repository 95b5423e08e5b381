import type { CompiledFence } from './compiled-fence.js';

/** Where the child is with respect to one fence. Times in Unix milliseconds. */
export interface FenceState {
  inside: boolean;
  /** The first fix on this side. Who was outside from the first is so since the fence is there. */
  since: number;
  /** The child has been inside for as long as the fence asks. */
  dwelled: boolean;
}

/** In the order of the fences; `null` until a first fix says it. */
export type FenceStates = readonly (FenceState | null)[];

/** When the next child that stays where it is has dwelled, as far as anybody asked; `null` for never. Unix milliseconds. */
export function nextDwellTime(fences: readonly CompiledFence[], states: FenceStates): number | null {
  let next: number | null = null;
  for (const [index, fence] of fences.entries()) {
    const state = states[index];
    if (!state?.inside || state.dwelled || !fence.notify.dwelled) continue;
    const time = state.since + fence.dwell;
    if (next === null || time < next) next = time;
  }
  return next;
}
