import type { FenceNotifications, AttendanceWindow } from '@family-watch/domain/locations/contracts/fence';
import type { FenceDto } from '@family-watch/domain/locations/dto/fence.dto';
import { compileShape, type FenceSideTest } from '../geometry/compile-shape.js';

/** A fence prepared for fast evaluation. */
export interface CompiledFence {
  fenceId: string;
  name: string;
  sideOf: FenceSideTest;
  notify: FenceNotifications;
  /** Dwell time in milliseconds. */
  dwell: number;
  windows: readonly AttendanceWindow[];
  /** Unix milliseconds. The evaluation ignores fixes before `activeFrom`. */
  activeFrom: number;
}

/**
 * A fence with its activation time. `activeFrom`: Unix milliseconds since which the fence has its present shape and is
 * enabled.
 */
export type ActiveFence = FenceDto & { activeFrom: number };

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

/** Whether a child is inside one fence, and since when. All times are in Unix milliseconds. */
export interface FenceState {
  inside: boolean;
  /** Time of the first fix on this side; the activation time of the fence for a child that was never inside. */
  since: number;
  /** True if the child has been inside for the fence's dwell time. */
  dwelled: boolean;
}

/** One state per fence, in the order of the fences; `null` until the first fix that is certainly inside or outside. */
export type FenceStates = readonly (FenceState | null)[];

/**
 * Returns when the next DWELLED is due if the child stays inside, in Unix milliseconds; `null` if no DWELLED is due.
 * Fences that do not notify of DWELLED are ignored.
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
