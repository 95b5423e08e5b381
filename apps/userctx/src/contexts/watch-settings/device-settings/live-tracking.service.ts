import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DEFAULT_DEVICE_SETTINGS } from '@family-watch/domain/watch-settings/contracts/device-settings';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/settings-state';
import { ChildWatchLinksService } from '../../families/child-watch-links.service.js';
import type { ChildLink } from '../../families/child-watch-links.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { DeviceSettingsRepository } from './device-settings.repository.js';

/** The child to track. */
type TrackedChild = Pick<ChildLink, 'familyId' | 'cid'>;

/**
 * Switches live tracking (mode FOLLOW) on for a reason that overrides the parents' settings, such as an SOS. The modes
 * that the parents have set are unchanged and take effect again when live tracking ends. Must be called in a
 * transaction.
 */
@Injectable()
export class LiveTrackingService {
  constructor(
    private readonly links: ChildWatchLinksService,
    private readonly changes: SettingsChangesService,
    private readonly settings: DeviceSettingsRepository,
  ) {}

  /**
   * Starts or extends live tracking; never shortens it.
   * @param until Unix milliseconds; live tracking ends at this time without a call of {@link stop}
   */
  async start(child: TrackedChild, until: number, by: PrincipalKey): Promise<void> {
    await this.set(child, by, (before) => Math.max(before ?? 0, until));
  }

  /** Stops live tracking. Idempotent. */
  async stop(child: TrackedChild, by: PrincipalKey): Promise<void> {
    await this.set(child, by, () => null);
  }

  private async set(
    { familyId, cid }: TrackedChild,
    by: PrincipalKey,
    next: (before: number | null) => number | null,
  ): Promise<void> {
    const link = await this.links.findByChild(cid);
    // The child has been deleted.
    if (link?.familyId !== familyId) return;
    const before = (await this.settings.find(familyId, cid)) ?? DEFAULT_DEVICE_SETTINGS;
    const followUntil = next(before.followUntil);
    if (followUntil === before.followUntil) return;
    await this.settings.save(familyId, cid, { ...before, followUntil });
    await this.changes.record(link, SETTINGS_RESOURCE.DEVICE, by);
  }
}
