import { isDeepStrictEqual } from 'node:util';
import { FENCE_LIMITS } from '@family-watch/domain/fences/contracts/fence';
import type { FenceShape, AttendanceWindow } from '@family-watch/domain/fences/contracts/fence';
import type {
  CreateFenceDto,
  FenceCircleDto,
  FencePlaceDto,
  FencePolygonDto,
  GuardWindowRequestDto,
  UpdateFenceDto,
} from '@family-watch/domain/fences/dto/fence.dto';
import type { ActiveFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { toSchoolRange } from '@family-watch/domain/fences/evaluation/attendance-windows';
import { validateShape } from '@family-watch/domain/fences/geometry/validate-shape';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { findOverlapDate, minutesOfDay } from '@family-watch/domain/watch-settings/contracts/school-time';

/** Defaults for fields that a request omits. */
export const FENCE_DEFAULTS = {
  name: '',
  circle: null,
  polygon: null,
  windows: [],
  enabled: true,
  version: 1,
  notify: { entered: true, left: true, dwelled: false },
  dwell: FENCE_LIMITS.dwell.preset,
} satisfies Partial<ActiveFence>;

/** Returns the fence as changed by the request. Unknown fields are ignored. */
export function mergeFence(before: ActiveFence, request: CreateFenceDto | UpdateFenceDto): ActiveFence {
  const { name, circle, polygon, notify, dwell, windows, enabled } = request;
  return {
    ...before,
    ...(circle || polygon ? toShape(circle, polygon) : {}),
    ...(name === undefined ? {} : { name }),
    ...(notify ? { notify: { entered: notify.entered, left: notify.left, dwelled: notify.dwelled } } : {}),
    ...(dwell === undefined ? {} : { dwell }),
    ...(windows ? { windows: windows.map(toWindow) } : {}),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

/**
 * Returns whether shape and `enabled` are unchanged. A change of shape or `enabled` invalidates the stored states of
 * the fence.
 */
export function hasSameShapeAndStatus(before: ActiveFence, after: ActiveFence): boolean {
  const [previous, next] = [before, after].map(({ circle, polygon, enabled }) => ({ circle, polygon, enabled }));
  return isDeepStrictEqual(previous, next);
}

/** Validates rules that span several fields. */
export function validateFence(fence: ActiveFence): ErrorDetail[] {
  const windows = fence.windows.flatMap(validateWindow);
  return [...validateShape(fence), ...(windows.length > 0 ? windows : validateOverlaps(fence.windows))];
}

function validateWindow(window: AttendanceWindow, index: number): ErrorDetail[] {
  const { weekdays, from, to, notArrivedBy, leftEarly } = window;
  const violation = (member: string, rule: string, message: string): ErrorDetail[] => {
    const field = `windows.${index}${member}`;
    return [{ field, rule, message: `${field} ${message}` }];
  };
  if (weekdays.length === 0) return violation('.weekdays', 'isNotEmpty', 'must name at least one day');
  if (from === to) return violation('.to', 'isNotEmpty', 'must not be the same as from');
  if (notArrivedBy === null && !leftEarly) {
    return violation('', 'tellsSomething', 'must have notArrivedBy or leftEarly, otherwise it reports nothing');
  }
  if (notArrivedBy !== null && minutesAfter(from, notArrivedBy) >= minutesAfter(from, to)) {
    return violation('.notArrivedBy', 'isWithinWindow', 'must be within the window, before its end');
  }
  return [];
}

function validateOverlaps(windows: readonly AttendanceWindow[]): ErrorDetail[] {
  for (const [index, window] of windows.entries()) {
    const other = windows
      .slice(0, index)
      .find((one) => findOverlapDate(toSchoolRange(one), toSchoolRange(window)) !== undefined);
    if (other) {
      const field = `windows.${index}`;
      return [{ field, rule: 'doesNotOverlap', message: `${field} overlaps another window` }];
    }
  }
  return [];
}

/** Returns the minutes from one time of day to the other, across midnight if necessary. */
function minutesAfter(from: string, to: string): number {
  return (minutesOfDay(to) - minutesOfDay(from) + 1_440) % 1_440;
}

function toShape(circle: FenceCircleDto | undefined, polygon: FencePolygonDto | undefined): FenceShape {
  return {
    circle: circle ? { ...toPlace(circle), radius: circle.radius } : null,
    polygon: polygon ? { points: polygon.points.map(toPlace) } : null,
  };
}

function toPlace({ latitude, longitude }: FencePlaceDto): FencePlaceDto {
  return { latitude, longitude };
}

function toWindow({ weekdays, from, to, skipDates, notArrivedBy, leftEarly }: GuardWindowRequestDto): AttendanceWindow {
  return {
    weekdays: weekdays.toSorted(),
    from,
    to,
    skipDates: (skipDates ?? []).toSorted(),
    notArrivedBy: notArrivedBy ?? null,
    leftEarly: leftEarly ?? false,
  };
}
