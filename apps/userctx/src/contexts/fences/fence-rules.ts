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
import type { ActiveFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { toSchoolRange } from '@family-watch/domain/fences/evaluation/attendance-windows';
import { validateShape } from '@family-watch/domain/fences/geometry/validate-shape';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { findOverlapDate } from '@family-watch/domain/watch-settings/contracts/school-overlap';
import { minutesOfDay } from '@family-watch/domain/watch-settings/contracts/school-time';

/** What a fence is where the request says nothing. */
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

/** The fence after the request; unknown fields are bound to nothing. */
export function mergeFence(before: ActiveFence, request: CreateFenceDto | UpdateFenceDto): ActiveFence {
  const { name, circle, polygon, notify, dwell, windows, enabled } = request;
  return {
    ...before,
    ...(circle || polygon ? shapeOf(circle, polygon) : {}),
    ...(name === undefined ? {} : { name }),
    ...(notify ? { notify: { entered: notify.entered, left: notify.left, dwelled: notify.dwelled } } : {}),
    ...(dwell === undefined ? {} : { dwell }),
    ...(windows ? { windows: windows.map(windowOf) } : {}),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

/** Does it stand where it stood, and as long? If not, it knows nothing of where the child is. */
export function hasSameShapeAndStatus(before: ActiveFence, after: ActiveFence): boolean {
  const [was, is] = [before, after].map(({ circle, polygon, enabled }) => ({ circle, polygon, enabled }));
  return isDeepStrictEqual(was, is);
}

/** Rules that no single field can break. */
export function validateFence(fence: ActiveFence): ErrorDetail[] {
  const windows = fence.windows.flatMap(brokenWindowRules);
  return [...validateShape(fence), ...(windows.length > 0 ? windows : brokenOverlapRules(fence.windows))];
}

function brokenWindowRules(window: AttendanceWindow, index: number): ErrorDetail[] {
  const { weekdays, from, to, notArrivedBy, leftEarly } = window;
  const broken = (member: string, rule: string, message: string): ErrorDetail[] => {
    const field = `windows.${index}${member}`;
    return [{ field, rule, message: `${field} ${message}` }];
  };
  if (weekdays.length === 0) return broken('.weekdays', 'isNotEmpty', 'must name at least one day');
  if (from === to) return broken('.to', 'isNotEmpty', 'must not be the same as from');
  if (notArrivedBy === null && !leftEarly) {
    return broken('', 'tellsSomething', 'must have notArrivedBy or leftEarly, or it tells nothing');
  }
  if (notArrivedBy !== null && minutesAfter(from, notArrivedBy) >= minutesAfter(from, to)) {
    return broken('.notArrivedBy', 'isWithinWindow', 'must be within the window, before its end');
  }
  return [];
}

function brokenOverlapRules(windows: readonly AttendanceWindow[]): ErrorDetail[] {
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

/** Minutes of the day from one time to the other, across midnight if need be. */
function minutesAfter(from: string, to: string): number {
  return (minutesOfDay(to) - minutesOfDay(from) + 1_440) % 1_440;
}

function shapeOf(circle: FenceCircleDto | undefined, polygon: FencePolygonDto | undefined): FenceShape {
  return {
    circle: circle ? { ...placeOf(circle), radius: circle.radius } : null,
    polygon: polygon ? { points: polygon.points.map(placeOf) } : null,
  };
}

function placeOf({ latitude, longitude }: FencePlaceDto): FencePlaceDto {
  return { latitude, longitude };
}

function windowOf({ weekdays, from, to, skipDates, notArrivedBy, leftEarly }: GuardWindowRequestDto): AttendanceWindow {
  return {
    weekdays: weekdays.toSorted(),
    from,
    to,
    skipDates: (skipDates ?? []).toSorted(),
    notArrivedBy: notArrivedBy ?? null,
    leftEarly: leftEarly ?? false,
  };
}
