import { Injectable } from '@nestjs/common';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { SchoolTimeRepository } from './school-time.repository.js';
import { SettingsChangesService } from './settings-changes.service.js';
import { StrangerRuleRepository } from './stranger-rule.repository.js';
import { WatchSettingsRepository } from './watch-settings.repository.js';

/** Publishes settings to watches, records their acknowledgements, and deletes the settings of erased children. */
@Injectable()
export class WatchSettingsEventHandlers {
  private readonly erasableRepositories: readonly { erase(cid: string): Promise<void> }[];

  constructor(
    settings: WatchSettingsRepository,
    schoolTimes: SchoolTimeRepository,
    strangers: StrangerRuleRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly changes: SettingsChangesService,
    private readonly roster: FamilyRosterService,
  ) {
    this.erasableRepositories = [settings, schoolTimes, strangers];
  }

  /** Deletes the settings and call logs of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.watch-settings.erase-child' })
  async eraseChildWatchSettings({ payload: { cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    for (const repository of this.erasableRepositories) await repository.erase(cid);
  }

  /**
   * Notifies a newly bound watch of the child's existing settings, so that the watch requests and acknowledges them.
   */
  @OnEvent('userctx.watch.bound', { handler: 'userctx.watch-settings.publish-to-bound-watch' })
  async publishSettingsToBoundWatch({ payload }: HandledEvent<'userctx.watch.bound'>): Promise<void> {
    const { familyId, cid, did, by, time } = payload;
    const binding = await this.bindings.findAt(did, Math.max(time, Date.now()));
    // The watch may be unbound or bound to another child by now.
    if (binding?.cid === cid) await this.changes.publishAll({ familyId, cid, did }, by);
  }

  /**
   * Publishes a change of the device settings when the child's time zone changes: all schedules use the time zone,
   * which the watch receives together with the requested settings.
   */
  @OnEvent('userctx.child.updated', { handler: 'userctx.watch-settings.publish-time-zone-change' })
  async publishTimeZoneChange({ payload }: HandledEvent<'userctx.child.updated'>): Promise<void> {
    const { cid, by, timeZoneChanged } = payload;
    const child = timeZoneChanged ? await this.roster.findChild(cid) : null;
    if (child) await this.changes.record(child, SETTINGS_RESOURCE.DEVICE, by);
  }

  /** Records that a watch applied or rejected a version of its settings. */
  @OnEvent('gateway.message.acknowledged', { handler: 'userctx.watch-settings.record-acknowledgement' })
  async recordSettingsAck({ payload, time }: HandledEvent<'gateway.message.acknowledged'>): Promise<void> {
    await this.changes.recordAck(payload, time);
  }
}
