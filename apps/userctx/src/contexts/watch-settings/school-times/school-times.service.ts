import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { MAX_SCHOOL_TIMES_PER_CHILD } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type {
  CreateSchoolTimeDto,
  PauseSchoolTodayDto,
  SchoolPausedDto,
  SchoolTimeChangedDto,
  SchoolTimeReferenceDto,
  SchoolTimesDto,
  UpdateSchoolTimeDto,
} from '@family-watch/domain/watch-settings/dto/school-time.dto';
import type { SettingsVersionDto } from '@family-watch/domain/watch-settings/dto/settings-status.dto';
import { schoolRangeAt } from '@family-watch/domain/watch-settings/schedule/is-school-time';
import { ContactDirectoryService } from '../../contacts/contact-directory.service.js';
import type { ChildLink } from '../../families/child-watch-links.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ChildTimeZoneService } from '../child-time-zone.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { validateSchoolTime, mergeSchoolTime } from './school-time-rules.js';
import { SchoolTimeRepository } from './school-time.repository.js';

const RESOURCE = SETTINGS_RESOURCE.SCHOOL_DISABLE;

/** Manages the school times of a child's watch. Requests name the watch; the school times belong to the child. */
@Injectable()
export class SchoolTimesService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly schoolTimes: SchoolTimeRepository,
    private readonly contacts: ContactDirectoryService,
    private readonly timeZones: ChildTimeZoneService,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING. */
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
    const timeZone = await this.timeZones.find(child);
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
   * LIMIT_REACHED.
   */
  async create(caller: Principal, request: CreateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      if (existing.length >= MAX_SCHOOL_TIMES_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const schoolTime = mergeSchoolTime({ ...SCHOOL_TIME_DEFAULTS, schoolTimeId: randomUUID() }, request);
      await this.assertValid(child, schoolTime, existing, request.allowContacts);
      await this.schoolTimes.add(child.familyId, child.cid, schoolTime, Date.now());
      return { hasChanged: true, result: schoolTime };
    });
    return { version, schoolTime: result };
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND, VALIDATION_FAILED,
   * CONTACT_NOT_FOUND.
   */
  async update(caller: Principal, request: UpdateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const before = findById(existing, request.schoolTimeId);
      const schoolTime = mergeSchoolTime(before, request);
      await this.assertValid(child, schoolTime, existing, request.allowContacts);
      const hasChanged = !isDeepStrictEqual(schoolTime, { ...before, allowContacts: before.allowContacts.toSorted() });
      if (hasChanged) await this.schoolTimes.update(child.familyId, child.cid, schoolTime);
      return { hasChanged, result: schoolTime };
    });
    return { version, schoolTime: result };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND. */
  async delete(caller: Principal, request: SchoolTimeReferenceDto): Promise<SettingsVersionDto> {
    const { version } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const { schoolTimeId } = findById(existing, request.schoolTimeId);
      await this.schoolTimes.remove(child.familyId, child.cid, schoolTimeId);
      return { hasChanged: true, result: undefined };
    });
    return { version };
  }

  /**
   * Pauses school time until midnight in the child's time zone.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE.
   */
  async pauseToday(caller: Principal, request: PauseSchoolTodayDto): Promise<SchoolPausedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const { familyId, cid } = child;
      const today = localDateIn(await this.timeZones.find(child), Date.now());
      const wasPaused = (await this.schoolTimes.findPause(familyId, cid)) === today;
      const { paused = true } = request;
      if (paused && !wasPaused) await this.schoolTimes.pause(familyId, cid, today);
      if (!paused && wasPaused) await this.schoolTimes.endPause(familyId, cid);
      return { hasChanged: paused !== wasPaused, result: paused ? today : null };
    });
    return { version, pausedOn: result };
  }

  /**
   * @param named contacts that the request names; they must exist. Contacts that were stored earlier may have been
   * deleted since.
   */
  private async assertValid(
    { familyId, cid }: ChildLink,
    schoolTime: SchoolTime,
    existing: readonly SchoolTime[],
    named: readonly string[] = [],
  ): Promise<void> {
    const details = validateSchoolTime(schoolTime, existing);
    if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
    if (named.length === 0) return;
    const contactRefIds = await this.contacts.findRefIds(familyId, cid);
    if (!named.every((refId) => contactRefIds.has(refId))) throw new ServiceError('CONTACT_NOT_FOUND');
  }
}

/** Default values for a new school time. */
const SCHOOL_TIME_DEFAULTS: Omit<SchoolTime, 'schoolTimeId'> = {
  label: '',
  start: '00:00',
  end: '00:00',
  weekdays: [],
  holidays: [],
  extraDates: [],
  allowContacts: [],
  enabled: true,
};

function findById(existing: readonly SchoolTime[], id: string): SchoolTime {
  const found = existing.find(({ schoolTimeId }) => schoolTimeId === id);
  if (!found) throw new ServiceError('SCHOOL_TIME_NOT_FOUND');
  return found;
}
