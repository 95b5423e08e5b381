import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DEFAULT_DEVICE_SETTINGS } from '@family-watch/domain/watch-settings/contracts/device-settings';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { ChildLink } from '../../families/child-link.js';
import { ChildWatchLinksService } from '../../families/child-watch-links.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { DeviceSettingsRepository } from './device-settings.repository.js';

/** Whom to follow. */
type FollowedChild = Pick<ChildLink, 'familyId' | 'cid'>;

/**
 * FOLLOW for a reason that outranks what the parents have set, such as a call for help. Their modes are left as they
 * are, and count again when it is over. To be called in the open unit of work.
 */
@Injectable()
export class LiveTrackingService {
  constructor(
    private readonly links: ChildWatchLinksService,
    private readonly changes: SettingsChangesService,
    private readonly settings: DeviceSettingsRepository,
  ) {}

  /** Never shortens what stands. @param until Unix milliseconds; it ends then by itself. */
  async start(child: FollowedChild, until: number, by: PrincipalKey): Promise<void> {
    await this.set(child, by, (before) => Math.max(before ?? 0, until));
  }

  /** Nothing happens where nothing is followed. */
  async stop(child: FollowedChild, by: PrincipalKey): Promise<void> {
    await this.set(child, by, () => null);
  }

  private async set(
    { familyId, cid }: FollowedChild,
    by: PrincipalKey,
    next: (before: number | null) => number | null,
  ): Promise<void> {
    const link = await this.links.findByChild(cid);
    // A child that was deleted is followed by nobody.
    if (link?.familyId !== familyId) return;
    const before = (await this.settings.find(familyId, cid)) ?? DEFAULT_DEVICE_SETTINGS;
    const followUntil = next(before.followUntil);
    if (followUntil === before.followUntil) return;
    await this.settings.save(familyId, cid, { ...before, followUntil });
    await this.changes.record(link, SETTINGS_RESOURCE.DEVICE, by);
  }
}
