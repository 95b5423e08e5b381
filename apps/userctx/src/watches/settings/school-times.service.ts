import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, type ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import {
  canOverlap,
  MAX_SCHOOL_TIMES_PER_CHILD,
  type SchoolPause,
} from '@family-watch/domain/watches/contracts/school-time';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import type {
  CreateSchoolTimeDto,
  UpdateSchoolTimeDto,
  PauseSchoolTodayDto,
  SchoolPausedDto,
  SchoolTimeChangedDto,
  SchoolTimeDto,
  SchoolTimeReferenceDto,
  SchoolTimesDto,
  EarlyExitListDto,
  EarlyExitQueryDto,
  EarlyExitItemDto,
} from '@family-watch/domain/watches/dto/school-time.dto';
import type { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import { schoolRangeAt } from '@family-watch/domain/watches/schedule/is-school-time';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../../families/contacts/member-contacts.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildLink } from '../../families/family-roster.service.js';
import { SchoolTimeRepository } from './school-time.repository.js';
import { SettingsChangesService, WATCH_LOG_RETENTION_MS } from './settings-changes.service.js';

type SchoolTimeFields =
  | Omit<CreateSchoolTimeDto, 'did' | 'version'>
  | Omit<UpdateSchoolTimeDto, 'did' | 'version' | 'schoolTimeId'>;

/**
 * Applies the request to the school time. Omitted fields are unchanged. The lists of the result are sorted, and no
 * contact occurs twice.
 */
function mergeSchoolTime(before: SchoolTimeDto, request: SchoolTimeFields): SchoolTimeDto {
  return {
    schoolTimeId: before.schoolTimeId,
    label: request.label ?? before.label,
    start: request.start ?? before.start,
    end: request.end ?? before.end,
    weekdays: (request.weekdays ?? before.weekdays).toSorted((one, other) => one - other),
    holidays: (request.holidays ?? before.holidays).toSorted(),
    extraDates: (request.extraDates ?? before.extraDates).toSorted(),
    allowContacts: [...new Set(request.allowContacts ?? before.allowContacts)].toSorted(),
    enabled: request.enabled ?? before.enabled,
  };
}

/**
 * Checks that a school time is not empty, applies to at least one day and, if enabled, overlaps no other enabled school
 * time.
 * @returns the violations; empty when the school time is valid
 */
function validateSchoolTime(changed: SchoolTimeDto, all: readonly SchoolTimeDto[]): ErrorDetail[] {
  if (changed.start === changed.end)
    return [{ field: 'end', rule: 'isAfterStart', message: 'end must differ from start' }];
  if (changed.weekdays.length + changed.extraDates.length === 0)
    return [{ field: 'weekdays', rule: 'needsDays', message: 'weekdays or extraDates must contain at least one day' }];
  if (!changed.enabled) return [];
  const others = all.filter(({ schoolTimeId, enabled }) => enabled && schoolTimeId !== changed.schoolTimeId);
  return others.flatMap((other) => {
    if (!canOverlap(changed, other)) return [];
    const range = `${other.start} to ${other.end}`;
    return [{ field: 'start', rule: 'overlaps', message: `overlaps ${other.schoolTimeId} (${range})` }];
  });
}

const RESOURCE = SETTINGS_RESOURCE.SCHOOL_DISABLE;

const RETENTION_INTERVAL_MS = 3_600_000;

/** The school times of a child and the day on which they are paused. */
export interface SchoolSchedule extends SchoolPause {
  schoolTimes: SchoolTimeDto[];
}

/**
 * Manages the school times of a child's watch, and the log of early exits from school mode. Requests name the watch;
 * the school times belong to the child.
 */
@Injectable()
export class SchoolTimesService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly schoolTimes: SchoolTimeRepository,
    private readonly contacts: MemberContactsService,
    private readonly unitOfWork: UserctxUnitOfWork,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, did: number): Promise<SchoolTimesDto> {
    return this.view(await this.access.requireForWatch(caller, did, 'SEE_SETTINGS'));
  }

  /**
   * Returns the school times for an authorized caller. Reads the version before the school times, so the school times
   * are at least as new as the version.
   */
  async view(child: ChildLink): Promise<SchoolTimesDto> {
    const { familyId, cid } = child;
    const status = await this.changes.findStatus(child, RESOURCE);
    const stored = await this.schoolTimes.findByChild(familyId, cid);
    const lastPause = await this.schoolTimes.findPause(familyId, cid);
    const contactRefIds = await this.contacts.findRefIds(familyId, cid);
    const timeZone = await this.changes.findTimeZone(child);
    const now = Date.now();
    const pausedOn = lastPause === localDateIn(timeZone, now) ? lastPause : null;
    // A deleted contact may not call, even if the school time still lists that contact.
    const items = stored.map((one) => ({
      ...one,
      allowContacts: one.allowContacts.filter((ref) => contactRefIds.has(ref)),
    }));
    const current = schoolRangeAt(items, { pausedOn }, timeZone, now);
    return { ...status, items, pausedOn, current: current?.schoolTimeId ?? null };
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, VALIDATION_FAILED, CONTACT_NOT_FOUND,
   * LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      if (existing.length >= MAX_SCHOOL_TIMES_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const schoolTime = mergeSchoolTime({ ...SCHOOL_TIME_DEFAULTS, schoolTimeId: randomUUID() }, request);
      await this.assertValid(child, schoolTime, existing, request.allowContacts);
      await this.schoolTimes.add(child.familyId, child.cid, schoolTime, Date.now());
      return { hasChanged: true, schoolTime };
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND, VALIDATION_FAILED,
   * CONTACT_NOT_FOUND
   */
  async update(caller: Principal, request: UpdateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const before = findById(existing, request.schoolTimeId);
      const schoolTime = mergeSchoolTime(before, request);
      await this.assertValid(child, schoolTime, existing, request.allowContacts);
      const hasChanged = !isDeepStrictEqual(schoolTime, { ...before, allowContacts: before.allowContacts.toSorted() });
      if (hasChanged) await this.schoolTimes.update(child.familyId, child.cid, schoolTime);
      return { hasChanged, schoolTime };
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND */
  async delete(caller: Principal, request: SchoolTimeReferenceDto): Promise<SettingsVersionDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const { schoolTimeId } = findById(existing, request.schoolTimeId);
      await this.schoolTimes.remove(child.familyId, child.cid, schoolTimeId);
      return { hasChanged: true };
    });
  }

  /**
   * Pauses school time until midnight in the child's time zone.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE
   */
  async pauseToday(caller: Principal, request: PauseSchoolTodayDto): Promise<SchoolPausedDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const { familyId, cid } = child;
      const today = localDateIn(await this.changes.findTimeZone(child), Date.now());
      const wasPaused = (await this.schoolTimes.findPause(familyId, cid)) === today;
      const { paused = true } = request;
      if (paused && !wasPaused) await this.schoolTimes.pause(familyId, cid, today);
      if (!paused && wasPaused) await this.schoolTimes.endPause(familyId, cid);
      return { hasChanged: paused !== wasPaused, pausedOn: paused ? today : null };
    });
  }

  /**
   * Stores the early exits that the watch reports. Idempotent.
   * @throws ServiceError WATCH_UNBOUND
   */
  async reportEarlyExits(watch: Principal, reported: readonly EarlyExitItemDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const reportingWatch = await this.changes.findReportingWatch(watch);
      const schoolTimes = await this.schoolTimes.findByChild(reportingWatch.familyId, reportingWatch.cid);
      const exits = reported
        .filter(({ time }) => time >= reportingWatch.boundSince)
        .map(({ time, schoolTimeId }) => ({
          exitId: randomUUID(),
          time,
          schoolTimeId: schoolTimes.find((one) => one.schoolTimeId === schoolTimeId)?.schoolTimeId ?? null,
        }));
      await this.schoolTimes.addEarlyExits(reportingWatch, exits, Date.now());
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async listEarlyExits(caller: Principal, query: EarlyExitQueryDto): Promise<EarlyExitListDto> {
    const page = decodeTimePage(query);
    const { familyId, cid } = await this.access.requireForWatch(caller, query.did, 'SEE_SETTINGS');
    return this.schoolTimes.findEarlyExits(familyId, cid, page);
  }

  @OnJob('userctx.watch-settings.delete-old-early-exits', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOldEarlyExits(now: number): Promise<void> {
    await this.schoolTimes.deleteEarlyExitsBefore(now - WATCH_LOG_RETENTION_MS);
  }

  async findSchedule(familyId: string, cid: string): Promise<SchoolSchedule> {
    const schoolTimes = await this.schoolTimes.findByChild(familyId, cid);
    return { schoolTimes, pausedOn: await this.schoolTimes.findPause(familyId, cid) };
  }

  /**
   * Checks the school time and the contacts of the request.
   * @param requestedContacts `refId` of each contact in the request. These contacts must exist, unlike contacts that
   * the school time already lists, which may have been deleted.
   */
  private async assertValid(
    { familyId, cid }: ChildLink,
    schoolTime: SchoolTimeDto,
    existing: readonly SchoolTimeDto[],
    requestedContacts: readonly string[] = [],
  ): Promise<void> {
    const details = validateSchoolTime(schoolTime, existing);
    if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
    if (requestedContacts.length === 0) return;
    const contactRefIds = await this.contacts.findRefIds(familyId, cid);
    if (!requestedContacts.every((refId) => contactRefIds.has(refId))) throw new ServiceError('CONTACT_NOT_FOUND');
  }
}

/** Values of a new school time for the fields that the request omits. */
const SCHOOL_TIME_DEFAULTS: Omit<SchoolTimeDto, 'schoolTimeId'> = {
  label: '',
  start: '00:00',
  end: '00:00',
  weekdays: [],
  holidays: [],
  extraDates: [],
  allowContacts: [],
  enabled: true,
};

/** @throws ServiceError SCHOOL_TIME_NOT_FOUND */
function findById(existing: readonly SchoolTimeDto[], id: string): SchoolTimeDto {
  const found = existing.find(({ schoolTimeId }) => schoolTimeId === id);
  if (!found) throw new ServiceError('SCHOOL_TIME_NOT_FOUND');
  return found;
}
