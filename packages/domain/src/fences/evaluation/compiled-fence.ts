import type { Fence, FenceNotifications, AttendanceWindow } from '../contracts/fence.js';
import { compileShape } from '../geometry/compile-shape.js';
import type { FenceSideTest } from '../geometry/compile-shape.js';

/** A fence that is ready to be asked. */
export interface CompiledFence {
  fenceId: string;
  name: string;
  sideOf: FenceSideTest;
  notify: FenceNotifications;
  /** Milliseconds. */
  dwell: number;
  windows: readonly AttendanceWindow[];
  /** Fixes of before are not its business. Unix milliseconds. */
  activeFrom: number;
}

/** A fence, and since when it is where it is and switched on. Unix milliseconds. */
export type ActiveFence = Fence & { activeFrom: number };

/** Those that are switched on, in their order. */
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
