import { isDeepStrictEqual } from 'node:util';
import { FENCE_LIMITS } from '@family-watch/domain/fences/contracts/fence';
import type { FenceShape, GuardWindow } from '@family-watch/domain/fences/contracts/fence';
import type {
  CreateFenceDto,
  FenceCircleDto,
  FencePlaceDto,
  FencePolygonDto,
  GuardWindowRequestDto,
  UpdateFenceDto,
} from '@family-watch/domain/fences/dto/fence.dto';
import type { StandingFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { rangeOf } from '@family-watch/domain/fences/evaluation/guard-windows';
import { brokenShapeRules } from '@family-watch/domain/fences/geometry/shape-rules';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { overlapOf } from '@family-watch/domain/watch-settings/contracts/school-overlap';
import { minutesOf } from '@family-watch/domain/watch-settings/contracts/school-time';

/** What a fence is where the request says nothing. */
export const NEW_FENCE = {
  ...{ name: '', circle: null, polygon: null, windows: [], enabled: true, version: 1 },
  ...{ notify: { entered: true, left: true, dwelled: false }, dwell: FENCE_LIMITS.dwell.preset },
} satisfies Partial<StandingFence>;

/** The fence after the request; unknown fields are bound to nothing. */
export function changedFence(before: StandingFence, request: CreateFenceDto | UpdateFenceDto): StandingFence {
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
export function standsAsBefore(before: StandingFence, after: StandingFence): boolean {
  const [was, is] = [before, after].map(({ circle, polygon, enabled }) => ({ circle, polygon, enabled }));
  return isDeepStrictEqual(was, is);
}

/** Rules that no single field can break. */
export function brokenFenceRules(fence: StandingFence): ErrorDetail[] {
  const windows = fence.windows.flatMap(brokenWindowRules);
  return [...brokenShapeRules(fence), ...(windows.length > 0 ? windows : brokenOverlapRules(fence.windows))];
}

function brokenWindowRules(window: GuardWindow, index: number): ErrorDetail[] {
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

function brokenOverlapRules(windows: readonly GuardWindow[]): ErrorDetail[] {
  for (const [index, window] of windows.entries()) {
    const other = windows.slice(0, index).find((one) => overlapOf(rangeOf(one), rangeOf(window)) !== undefined);
    if (other) {
      const field = `windows.${index}`;
      return [{ field, rule: 'doesNotOverlap', message: `${field} overlaps another window` }];
    }
  }
  return [];
}

/** Minutes of the day from one time to the other, across midnight if need be. */
function minutesAfter(from: string, to: string): number {
  return (minutesOf(to) - minutesOf(from) + 1_440) % 1_440;
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

function windowOf({ weekdays, from, to, skipDates, notArrivedBy, leftEarly }: GuardWindowRequestDto): GuardWindow {
  return {
    ...{ weekdays: weekdays.toSorted(), from, to, skipDates: (skipDates ?? []).toSorted() },
    ...{ notArrivedBy: notArrivedBy ?? null, leftEarly: leftEarly ?? false },
  };
}
