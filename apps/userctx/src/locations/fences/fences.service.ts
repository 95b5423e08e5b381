import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { FENCE_LIMITS, type FenceShape, type AttendanceWindow } from '@family-watch/domain/locations/contracts/fence';
import type {
  CreateFenceDto,
  FenceCircleDto,
  FencePlaceDto,
  FencePolygonDto,
  AttendanceWindowRequestDto,
  UpdateFenceDto,
  FenceEventListDto,
  FenceEventListQueryDto,
  FenceDto,
  FenceListDto,
  FenceReferenceDto,
} from '@family-watch/domain/locations/dto/fence.dto';
import { toSchoolRange } from './evaluation/attendance-windows.js';
import type { ActiveFence } from './evaluation/fence-state.js';
import { validateShape } from './geometry/validate-shape.js';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, type ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import { canOverlap, minutesOfDay } from '@family-watch/domain/watches/contracts/school-time';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { UserctxChildReads, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildKey } from '../../families/family-roster.service.js';
import { FenceMonitorService } from './fence-monitor.service.js';
import { FenceRepository } from './fence.repository.js';

/** Values of a new fence for the fields that the request omits. */
const FENCE_DEFAULTS = {
  name: '',
  circle: null,
  polygon: null,
  windows: [],
  enabled: true,
  version: 1,
  notify: { entered: true, left: true, dwelled: false },
  dwell: FENCE_LIMITS.dwell.default,
} satisfies Partial<ActiveFence>;

/** Returns the fence with the fields of the request. Fields that the request omits are unchanged. */
function mergeFence(before: ActiveFence, request: CreateFenceDto | UpdateFenceDto): ActiveFence {
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
function hasSameShapeAndStatus(before: ActiveFence, after: ActiveFence): boolean {
  const [previous, next] = [before, after].map(({ circle, polygon, enabled }) => ({ circle, polygon, enabled }));
  return isDeepStrictEqual(previous, next);
}

/** Validates the rules that involve several fields. The DTOs validate single fields. */
function validateFence(fence: ActiveFence): ErrorDetail[] {
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
    return violation('', 'tellsSomething', 'must have notArrivedBy or leftEarly, otherwise the window reports nothing');
  }
  if (notArrivedBy !== null && minutesAfter(from, notArrivedBy) >= minutesAfter(from, to)) {
    return violation('.notArrivedBy', 'isWithinWindow', 'must be within the window, before its end');
  }
  return [];
}

function validateOverlaps(windows: readonly AttendanceWindow[]): ErrorDetail[] {
  for (const [index, window] of windows.entries()) {
    const range = toSchoolRange(window);
    if (windows.slice(0, index).some((one) => canOverlap(toSchoolRange(one), range))) {
      const field = `windows.${index}`;
      return [{ field, rule: 'doesNotOverlap', message: `${field} overlaps another window` }];
    }
  }
  return [];
}

/** Returns the minutes from the time of day `from` to the next time of day `to`, across midnight if necessary. */
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

function toWindow({
  weekdays,
  from,
  to,
  skipDates,
  notArrivedBy,
  leftEarly,
}: AttendanceWindowRequestDto): AttendanceWindow {
  return {
    weekdays: weekdays.toSorted(),
    from,
    to,
    skipDates: (skipDates ?? []).toSorted(),
    notArrivedBy: notArrivedBy ?? null,
    leftEarly: leftEarly ?? false,
  };
}

/** Manages fences and lists their events. The family is locked before the child. */
@Injectable()
export class FencesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly fences: FenceRepository,
    private readonly monitor: FenceMonitorService,
    private readonly childReads: UserctxChildReads,
  ) {}

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING */
  async list(caller: Principal, cid: string): Promise<FenceListDto> {
    const child = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    return { items: (await this.fences.findByChild(child)).map(toDto), nextCursor: null };
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED, LIMIT_REACHED */
  create(caller: Principal, request: CreateFenceDto): Promise<FenceDto> {
    return this.change(caller, request.cid, async (child, existing, now) => {
      if (existing.length >= FENCE_LIMITS.perChild) throw new ServiceError('LIMIT_REACHED');
      const defaults = { ...FENCE_DEFAULTS, fenceId: randomUUID(), cid: child.cid, activeFrom: now };
      const fence = mergeFence(defaults, request);
      assertValid(fence);
      await this.fences.add(child.familyId, fence, now);
      return toDto(fence);
    });
  }

  /**
   * Updates a fence. After a fence is moved or enabled, it is unknown whether the child is inside until the next fix.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, FENCE_NOT_FOUND, VERSION_STALE, VALIDATION_FAILED
   */
  update(caller: Principal, request: UpdateFenceDto): Promise<FenceDto> {
    return this.change(caller, request.cid, async ({ familyId }, existing, now) => {
      const before = requireFence(existing, request);
      const requested = mergeFence(before, request);
      assertValid(requested);
      if (isDeepStrictEqual(requested, before)) return toDto(before);
      const activeFrom = hasSameShapeAndStatus(before, requested) ? before.activeFrom : now;
      const fence = { ...requested, activeFrom, version: before.version + 1 };
      await this.fences.update(familyId, fence);
      return toDto(fence);
    });
  }

  /**
   * Deletes a fence. The recorded events of the fence are retained.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, FENCE_NOT_FOUND, VERSION_STALE
   */
  delete(caller: Principal, request: FenceReferenceDto): Promise<void> {
    return this.change(caller, request.cid, async (child, existing) => {
      await this.fences.remove(child, requireFence(existing, request).fenceId);
    });
  }

  /**
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async listEvents(caller: Principal, query: FenceEventListQueryDto): Promise<FenceEventListDto> {
    const page = decodeTimePage(query);
    const child = await this.access.requireForChild(caller, query.cid, 'SEE_LOCATION');
    this.childReads.recordCaller(caller, child.cid, 'FENCE_EVENTS');
    return this.fences.findEvents(child, page);
  }

  /** Locks the child and then runs the change, so that no evaluation of fences reads a partial change. */
  private change<Result>(
    caller: Principal,
    cid: string,
    work: (child: ChildKey, existing: readonly ActiveFence[], now: number) => Promise<Result>,
  ): Promise<Result> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForChild(caller, cid, 'CHANGE_FENCES');
      await this.fences.lockChild(child.cid);
      const result = await work(child, await this.fences.findByChild(child), Date.now());
      await this.monitor.onFencesChanged(child);
      return result;
    });
  }
}

function assertValid(fence: ActiveFence): void {
  const details = validateFence(fence);
  if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
}

function requireFence(existing: readonly ActiveFence[], { fenceId, version }: FenceReferenceDto): ActiveFence {
  const found = existing.find((fence) => fence.fenceId === fenceId);
  if (!found) throw new ServiceError('FENCE_NOT_FOUND');
  if (version !== undefined && version !== found.version) throw new ServiceError('VERSION_STALE');
  return found;
}

function toDto({ activeFrom, ...fence }: ActiveFence): FenceDto {
  return fence;
}
