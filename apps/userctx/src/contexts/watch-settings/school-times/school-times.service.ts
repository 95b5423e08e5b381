import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { MAX_SCHOOL_TIMES_PER_CHILD } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
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
import type { ChildLink } from '../../families/child-link.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ChildTimeZoneService } from '../child-time-zone.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { validateSchoolTime, mergeSchoolTime } from './school-time-rules.js';
import { SchoolTimeRepository } from './school-time.repository.js';

const RESOURCE = SETTINGS_RESOURCE.SCHOOL_DISABLE;

/** When a child's watch is for learning only. The watch is named, the school times are the child's. */
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

  /** For a caller who may see it. The version first: what follows is never older. */
  async view(child: ChildLink): Promise<SchoolTimesDto> {
    const { familyId, cid } = child;
    const status = await this.changes.findStatus(child, RESOURCE);
    const stored = await this.schoolTimes.findByChild(familyId, cid);
    const lastPause = await this.schoolTimes.findPause(familyId, cid);
    const known = await this.contacts.findRefIds(familyId, cid);
    const timeZone = await this.timeZones.find(child);
    const now = Date.now();
    const pausedOn = lastPause === localDateIn(timeZone, now) ? lastPause : null;
    // A contact that is gone may not call, whatever was said of it.
    const items = stored.map((one) => ({ ...one, allowContacts: one.allowContacts.filter((ref) => known.has(ref)) }));
    const current = schoolRangeAt(items, { pausedOn }, timeZone, now);
    return { ...status, items, pausedOn, current: current?.schoolTimeId ?? null };
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, VALIDATION_FAILED, CONTACT_NOT_FOUND,
   * LIMIT_REACHED.
   */
  async create(caller: Principal, request: CreateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const present = await this.schoolTimes.findByChild(child.familyId, child.cid);
      if (present.length >= MAX_SCHOOL_TIMES_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const schoolTime = mergeSchoolTime({ ...NEW_SCHOOL_TIME, schoolTimeId: randomUUID() }, request);
      await this.assertGood(child, schoolTime, present, request.allowContacts);
      await this.schoolTimes.add(child.familyId, child.cid, schoolTime, Date.now());
      return { changed: true, result: schoolTime };
    });
    return { version, schoolTime: result };
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND, VALIDATION_FAILED,
   * CONTACT_NOT_FOUND.
   */
  async update(caller: Principal, request: UpdateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const present = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const before = findAmong(present, request.schoolTimeId);
      const schoolTime = mergeSchoolTime(before, request);
      await this.assertGood(child, schoolTime, present, request.allowContacts);
      const changed = !isDeepStrictEqual(schoolTime, { ...before, allowContacts: before.allowContacts.toSorted() });
      if (changed) await this.schoolTimes.update(child.familyId, child.cid, schoolTime);
      return { changed, result: schoolTime };
    });
    return { version, schoolTime: result };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, SCHOOL_TIME_NOT_FOUND. */
  async delete(caller: Principal, request: SchoolTimeReferenceDto): Promise<SettingsVersionDto> {
    const { version } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const present = await this.schoolTimes.findByChild(child.familyId, child.cid);
      const { schoolTimeId } = findAmong(present, request.schoolTimeId);
      await this.schoolTimes.remove(child.familyId, child.cid, schoolTimeId);
      return { changed: true, result: undefined };
    });
    return { version };
  }

  /** Until midnight of the child there is no school time. @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE. */
  async pauseToday(caller: Principal, request: PauseSchoolTodayDto): Promise<SchoolPausedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async (child) => {
      const { familyId, cid } = child;
      const today = localDateIn(await this.timeZones.find(child), Date.now());
      const wasPaused = (await this.schoolTimes.findPause(familyId, cid)) === today;
      const { paused = true } = request;
      if (paused && !wasPaused) await this.schoolTimes.pause(familyId, cid, today);
      if (!paused && wasPaused) await this.schoolTimes.endPause(familyId, cid);
      return { changed: paused !== wasPaused, result: paused ? today : null };
    });
    return { version, pausedOn: result };
  }

  /** @param named contacts that this request names; those from before may have gone since */
  private async assertGood(
    { familyId, cid }: ChildLink,
    schoolTime: SchoolTime,
    present: readonly SchoolTime[],
    named: readonly string[] = [],
  ): Promise<void> {
    const details = validateSchoolTime(schoolTime, present);
    if (details.length > 0) throw new ServiceError('VALIDATION_FAILED', { details });
    if (named.length === 0) return;
    const known = await this.contacts.findRefIds(familyId, cid);
    if (!named.every((refId) => known.has(refId))) throw new ServiceError('CONTACT_NOT_FOUND');
  }
}

/** What a school time is where the request says nothing. */
const NEW_SCHOOL_TIME: Omit<SchoolTime, 'schoolTimeId'> = {
  label: '',
  start: '00:00',
  end: '00:00',
  weekdays: [],
  holidays: [],
  extraDates: [],
  allowContacts: [],
  enabled: true,
};

function findAmong(present: readonly SchoolTime[], id: string): SchoolTime {
  const found = present.find(({ schoolTimeId }) => schoolTimeId === id);
  if (!found) throw new ServiceError('SCHOOL_TIME_NOT_FOUND');
  return found;
}
