import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SETTINGS_RESOURCE, type SettingsResource } from '@family-watch/domain/watches/contracts/settings-state';
import type { WatchSettingsDto } from '@family-watch/domain/watches/dto/watch-settings.dto';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { AlarmClocksService } from './alarm-clocks.service.js';
import { DeviceSettingsService } from './device-settings.service.js';
import { SchoolTimesService } from './school-times.service.js';
import { SettingsChangesService } from './settings-changes.service.js';
import { StrangersService } from './strangers.service.js';

/** Returns the settings that a watch requests after a notice of a change, or after the watch was bound. */
@Injectable()
export class WatchPullService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly alarms: AlarmClocksService,
    private readonly schoolTimes: SchoolTimesService,
    private readonly strangers: StrangersService,
    private readonly device: DeviceSettingsService,
  ) {}

  /**
   * Returns the requested settings of the child that the watch is bound to.
   * @param resources comma-separated names of settings resources; all resources if omitted
   * @throws ServiceError WATCH_UNBOUND
   */
  async get(watch: Principal, resources?: string): Promise<WatchSettingsDto> {
    const child = await this.access.requireForWatch(watch, Number(watch.id), 'SEE_SETTINGS', {
      unknownReason: 'WATCH_UNBOUND',
    });
    const requested = resources?.split(',') ?? Object.values(SETTINGS_RESOURCE);
    const isRequested = (resource: SettingsResource): boolean => requested.includes(resource);
    return {
      timeZone: await this.changes.findTimeZone(child),
      ...(isRequested('ALARM_CLOCK') ? { ALARM_CLOCK: await this.alarms.view(child) } : {}),
      ...(isRequested('SCHOOL_DISABLE') ? { SCHOOL_DISABLE: await this.schoolTimes.view(child) } : {}),
      ...(isRequested('REJECT_STRANGER') ? { REJECT_STRANGER: await this.strangers.view(child) } : {}),
      ...(isRequested('DEVICE') ? { DEVICE: await this.device.view(child) } : {}),
    };
  }
}
