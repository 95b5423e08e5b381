import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ALARM_REPEAT, MAX_ALARM_CLOCKS_PER_CHILD } from '@family-watch/domain/watches/contracts/alarm-clock';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import type {
  CreateAlarmClockDto,
  UpdateAlarmClockDto,
  AlarmClockChangedDto,
  AlarmClockDto,
  AlarmClockReferenceDto,
  AlarmClocksDto,
} from '@family-watch/domain/watches/dto/alarm-clock.dto';
import type { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import { nextAlarmAt } from '@family-watch/domain/watches/schedule/next-alarm';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildLink } from '../../families/family-roster.service.js';
import { SettingsChangesService } from './settings-changes.service.js';
import { WatchSettingsRepository, type AlarmClock } from './watch-settings.repository.js';

type AlarmFields =
  | Omit<CreateAlarmClockDto, 'did' | 'version'>
  | Omit<UpdateAlarmClockDto, 'did' | 'version' | 'alarmId'>;

const SCHEDULE_FIELDS = ['hour', 'minute', 'repeat', 'weekdays', 'skipDates', 'enabled'] as const;

/**
 * Applies the request to the alarm. Omitted fields are unchanged; existing weekdays are retained only for the repeat
 * mode CUSTOM. Lists are sorted.
 */
function mergeAlarm(before: AlarmClock, request: AlarmFields, now: number): AlarmClock {
  const repeat = request.repeat ?? before.repeat;
  const retainedWeekdays = repeat === ALARM_REPEAT.CUSTOM ? before.weekdays : [];
  const after: AlarmClock = {
    alarmId: before.alarmId,
    hour: request.hour ?? before.hour,
    minute: request.minute ?? before.minute,
    repeat,
    weekdays: (request.weekdays ?? retainedWeekdays).toSorted((one, other) => one - other),
    skipDates: (request.skipDates ?? before.skipDates).toSorted(),
    label: request.label ?? before.label,
    enabled: request.enabled ?? before.enabled,
    setAt: before.setAt,
  };
  const isRescheduled = SCHEDULE_FIELDS.some((field) => String(after[field]) !== String(before[field]));
  return isRescheduled ? { ...after, setAt: now } : after;
}

/**
 * Checks that weekdays are set for the repeat mode CUSTOM and for no other mode.
 * @throws ServiceError VALIDATION_FAILED otherwise
 */
function assertAlarmRules({ repeat, weekdays }: AlarmClock): void {
  const isCustom = repeat === ALARM_REPEAT.CUSTOM;
  if (isCustom === weekdays.length > 0) return;
  throw isCustom
    ? validationError('weekdays', 'needsWeekdays', 'CUSTOM requires at least one weekday')
    : validationError('weekdays', 'onlyForCustom', `${repeat} does not accept weekdays`);
}

const RESOURCE = SETTINGS_RESOURCE.ALARM_CLOCK;

/**
 * Manages the alarms of a child's watch. Requests name the watch; the alarms belong to the child and remain when the
 * watch is replaced.
 */
@Injectable()
export class AlarmClocksService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly settings: WatchSettingsRepository,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, did: number): Promise<AlarmClocksDto> {
    return this.view(await this.access.requireForWatch(caller, did, 'SEE_SETTINGS'));
  }

  /**
   * Returns the alarms for an authorized caller. Reads the version before the alarms, so the alarms are at least as new
   * as the version.
   */
  async view(child: ChildLink): Promise<AlarmClocksDto> {
    const status = await this.changes.findStatus(child, RESOURCE);
    const alarms = await this.settings.findAlarms(child.familyId, child.cid);
    const timeZone = await this.changes.findTimeZone(child);
    return { ...status, items: alarms.map((alarm) => toDto(alarm, timeZone)) };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, VALIDATION_FAILED, LIMIT_REACHED */
  async create(caller: Principal, request: CreateAlarmClockDto): Promise<AlarmClockChangedDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const existing = await this.settings.findAlarms(child.familyId, child.cid);
      if (existing.length >= MAX_ALARM_CLOCKS_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const now = Date.now();
      const alarm = mergeAlarm({ ...ALARM_DEFAULTS, alarmId: randomUUID(), setAt: now }, request, now);
      assertAlarmRules(alarm);
      await this.settings.addAlarm(child.familyId, child.cid, alarm);
      return { hasChanged: true, alarm: await this.toChildDto(child, alarm) };
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, ALARM_CLOCK_NOT_FOUND, VALIDATION_FAILED
   */
  async update(caller: Principal, request: UpdateAlarmClockDto): Promise<AlarmClockChangedDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const before = await this.find(child, request.alarmId);
      const alarm = mergeAlarm(before, request, Date.now());
      assertAlarmRules(alarm);
      const hasChanged = !isDeepStrictEqual(alarm, before);
      if (hasChanged) await this.settings.updateAlarm(child.familyId, child.cid, alarm);
      return { hasChanged, alarm: await this.toChildDto(child, alarm) };
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, ALARM_CLOCK_NOT_FOUND */
  async delete(caller: Principal, request: AlarmClockReferenceDto): Promise<SettingsVersionDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const { alarmId } = await this.find(child, request.alarmId);
      await this.settings.removeAlarm(child.familyId, child.cid, alarmId);
      return { hasChanged: true };
    });
  }

  private async find({ familyId, cid }: ChildLink, alarmId: string): Promise<AlarmClock> {
    const alarm = isUuid(alarmId) ? await this.settings.findAlarm(familyId, cid, alarmId) : undefined;
    if (!alarm) throw new ServiceError('ALARM_CLOCK_NOT_FOUND');
    return alarm;
  }

  private async toChildDto(child: ChildLink, alarm: AlarmClock): Promise<AlarmClockDto> {
    return toDto(alarm, await this.changes.findTimeZone(child));
  }
}

/** Default values for a new alarm. */
const ALARM_DEFAULTS: Omit<AlarmClock, 'alarmId' | 'setAt'> = {
  hour: 0,
  minute: 0,
  repeat: ALARM_REPEAT.ONCE,
  weekdays: [],
  skipDates: [],
  label: '',
  enabled: true,
};

function toDto(alarm: AlarmClock, timeZone: string): AlarmClockDto {
  return { ...alarm, nextRingAt: nextAlarmAt(alarm, timeZone, Date.now()) };
}
