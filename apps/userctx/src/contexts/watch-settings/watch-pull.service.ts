import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { WatchSettingsDto } from '@family-watch/domain/watch-settings/dto/watch-settings.dto';
import { FamilyAccessService } from '../families/family-access.service.js';
import { AlarmClocksService } from './alarm-clocks/alarm-clocks.service.js';
import { ChildTimeZoneService } from './child-time-zone.service.js';
import { DeviceSettingsService } from './device-settings/device-settings.service.js';
import { SchoolTimesService } from './school-times/school-times.service.js';
import { StrangersService } from './strangers/strangers.service.js';

/** What a watch pulls after a notice, or when it was bound. */
@Injectable()
export class WatchPullService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly timeZones: ChildTimeZoneService,
    private readonly alarms: AlarmClocksService,
    private readonly schoolTimes: SchoolTimesService,
    private readonly strangers: StrangersService,
    private readonly device: DeviceSettingsService,
  ) {}

  /** @param resources all of them where nothing is said. @throws ServiceError WATCH_UNBOUND. */
  async get(watch: Principal, resources?: string): Promise<WatchSettingsDto> {
    const child = await this.access.requireForWatch(watch, Number(watch.id), 'SEE_SETTINGS', {
      unknown: 'WATCH_UNBOUND',
    });
    const wanted = resources?.split(',') ?? Object.values(SETTINGS_RESOURCE);
    const wants = (resource: SettingsResource): boolean => wanted.includes(resource);
    return {
      timeZone: await this.timeZones.find(child),
      ...(wants('ALARM_CLOCK') ? { ALARM_CLOCK: await this.alarms.view(child) } : {}),
      ...(wants('SCHOOL_DISABLE') ? { SCHOOL_DISABLE: await this.schoolTimes.view(child) } : {}),
      ...(wants('REJECT_STRANGER') ? { REJECT_STRANGER: await this.strangers.view(child) } : {}),
      ...(wants('DEVICE') ? { DEVICE: await this.device.view(child) } : {}),
    };
  }
}
