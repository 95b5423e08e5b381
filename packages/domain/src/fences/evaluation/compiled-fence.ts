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
