import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  LIVE_TRACKING_DEFAULT_TTL_SECONDS,
  LOCATION_MODE,
} from '@family-watch/domain/watches/contracts/device-settings';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import type {
  SettingsChangeRequestDto,
  SettingsVersionDto,
} from '@family-watch/domain/watches/dto/settings-status.dto';
import type {
  DeviceSettingsDto,
  UpdateDeviceSettingsDto,
  UpdateLocationModeDto,
  UpdateLostModeDto,
} from '@family-watch/domain/watches/dto/watch-settings.dto';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService, type ChildKey, type ChildLink } from '../../families/family-roster.service.js';
import { DEFAULT_DEVICE_SETTINGS, effectiveLocationModeAt, type DeviceSettings } from './device-settings.js';
import { SettingsChangesService } from './settings-changes.service.js';
import { WatchSettingsRepository } from './watch-settings.repository.js';

const RESOURCE = SETTINGS_RESOURCE.DEVICE;

/**
 * Manages the location mode, the lost mode, and sound, screen and times of a child's watch. Live tracking (mode FOLLOW)
 * can be started for a reason that overrides the parents' settings, such as an SOS. The modes that the parents have set
 * are unchanged and take effect again when live tracking ends. Live tracking must be started and stopped in a
 * transaction.
 */
@Injectable()
export class DeviceSettingsService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly settings: WatchSettingsRepository,
    private readonly roster: FamilyRosterService,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, did: number): Promise<DeviceSettingsDto> {
    return this.view(await this.access.requireForWatch(caller, did, 'SEE_SETTINGS'));
  }

  /**
   * Returns the settings for an authorized caller. Reads the version before the settings, so the settings are at least
   * as new as the version.
   */
  async view(child: ChildLink): Promise<DeviceSettingsDto> {
    const status = await this.changes.findStatus(child, RESOURCE);
    const settings = await this.find(child);
    const { mode, until, modeAfter: after } = effectiveLocationModeAt(settings, Date.now());
    const { temporaryMode, followUntil, ...fields } = settings;
    return { ...status, ...fields, locationMode: mode, locationModeUntil: until, locationModeAfter: after };
  }

  /**
   * Sets the location mode. A temporary mode leaves the permanent mode unchanged. FOLLOW is always temporary.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE
   */
  setLocationMode(caller: Principal, request: UpdateLocationModeDto): Promise<SettingsVersionDto> {
    const { mode, expiresIn } = request;
    return this.change(caller, request, (before) =>
      mode === LOCATION_MODE.FOLLOW || expiresIn !== undefined
        ? {
            ...before,
            temporaryMode: { mode, until: Date.now() + (expiresIn ?? LIVE_TRACKING_DEFAULT_TTL_SECONDS) * 1_000 },
          }
        : { ...before, locationMode: mode, temporaryMode: null },
    );
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE */
  setLostMode(caller: Principal, request: UpdateLostModeDto): Promise<SettingsVersionDto> {
    const { lost, lostMessage } = request;
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const before = await this.find(child);
      const message = lost ? (lostMessage === undefined ? before.lostMessage : lostMessage) : null;
      const outcome = await this.save(child, before, { ...before, lost, lostMessage: message });
      if (lost !== before.lost) await this.publishLostMode(child, lost, principalKey(caller));
      return outcome;
    });
  }

  /**
   * Changes sound, screen and times of the watch. Omitted fields are unchanged.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE
   */
  update(caller: Principal, { did, version, ...fields }: UpdateDeviceSettingsDto): Promise<SettingsVersionDto> {
    const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    // The objects of a request are instances of DTOs, which never equal the stored plain objects.
    const changes = structuredClone(present);
    return this.change(caller, { did, version }, (before) => ({ ...before, ...changes }));
  }

  /**
   * Starts or extends live tracking; never shortens it.
   * @param until Unix milliseconds; live tracking ends at this time without a call of {@link stopLiveTracking}
   */
  async startLiveTracking(child: ChildKey, until: number, by: PrincipalKey): Promise<void> {
    await this.setLiveTracking(child, by, (before) => Math.max(before ?? 0, until));
  }

  /** Stops live tracking that {@link startLiveTracking} started. Idempotent. */
  async stopLiveTracking(child: ChildKey, by: PrincipalKey): Promise<void> {
    await this.setLiveTracking(child, by, () => null);
  }

  private async change(
    caller: Principal,
    request: SettingsChangeRequestDto,
    applyChange: (before: DeviceSettings) => DeviceSettings,
  ): Promise<SettingsVersionDto> {
    return this.changes.apply(caller, request, RESOURCE, async (child) => {
      const before = await this.find(child);
      return this.save(child, before, applyChange(before));
    });
  }

  private async save(
    { familyId, cid }: ChildKey,
    before: DeviceSettings,
    after: DeviceSettings,
  ): Promise<{ hasChanged: boolean }> {
    const hasChanged = !isDeepStrictEqual(after, before);
    if (hasChanged) await this.settings.saveDeviceSettings(familyId, cid, after);
    return { hasChanged };
  }

  private async publishLostMode({ familyId, cid, did }: ChildLink, lost: boolean, by: PrincipalKey): Promise<void> {
    if (did === null) return;
    const payload = { familyId, cid, did, by, time: Date.now(), lost };
    await this.outbox.appendForFamily('userctx.watch.lost-mode-changed', payload);
  }

  private async find({ familyId, cid }: ChildLink): Promise<DeviceSettings> {
    return (await this.settings.findDeviceSettings(familyId, cid)) ?? DEFAULT_DEVICE_SETTINGS;
  }

  private async setLiveTracking(
    { familyId, cid }: ChildKey,
    by: PrincipalKey,
    nextFollowUntil: (before: number | null) => number | null,
  ): Promise<void> {
    const link = await this.roster.findChild(cid);
    // A child that has been deleted has no link to its family.
    if (link?.familyId !== familyId) return;
    const before = (await this.settings.findDeviceSettings(familyId, cid)) ?? DEFAULT_DEVICE_SETTINGS;
    const followUntil = nextFollowUntil(before.followUntil);
    if (followUntil === before.followUntil) return;
    await this.settings.saveDeviceSettings(familyId, cid, { ...before, followUntil });
    await this.changes.record(link, SETTINGS_RESOURCE.DEVICE, by);
  }
}
