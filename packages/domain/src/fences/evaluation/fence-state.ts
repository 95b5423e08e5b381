import type { Fence, FenceNotifications, AttendanceWindow } from '../contracts/fence.js';
import { compileShape } from '../geometry/compile-shape.js';
import type { FenceSideTest } from '../geometry/compile-shape.js';

/** A fence prepared for fast evaluation. */
export interface CompiledFence {
  fenceId: string;
  name: string;
  sideOf: FenceSideTest;
  notify: FenceNotifications;
  /** Milliseconds. */
  dwell: number;
  windows: readonly AttendanceWindow[];
  /** Unix milliseconds. The evaluation ignores fixes before `activeFrom`. */
  activeFrom: number;
}

/**
 * A fence with `activeFrom`, the time since which the fence has its present shape and is enabled, in Unix milliseconds.
 */
export type ActiveFence = Fence & { activeFrom: number };

/** Compiles the enabled fences, in the given order. */
export function compileFences(fences: readonly ActiveFence[]): CompiledFence[] {
  return fences
    .filter(({ enabled }) => enabled)
    .map(({ fenceId, name, circle, polygon, notify, dwell, windows, activeFrom }) => ({
      fenceId,
      name,
      notify,
      windows,
      activeFrom,
      sideOf: compileShape({ circle, polygon }),
      dwell: dwell * 1_000,
    }));
}

/** State of a child at one fence. All times are in Unix milliseconds. */
export interface FenceState {
  inside: boolean;
  /** Time of the first fix on this side; the activation time of the fence for a child that was never inside. */
  since: number;
  /** True if the child has been inside for the fence's dwell time. */
  dwelled: boolean;
}

/** One state per fence, in the order of the fences; `null` until the first certain fix. */
export type FenceStates = readonly (FenceState | null)[];

/**
 * Returns when the next DWELLED is due if the child stays inside, for fences that report DWELLED; `null` if none does.
 */
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
