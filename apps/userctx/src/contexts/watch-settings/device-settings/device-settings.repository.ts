import { Injectable } from '@nestjs/common';
import type { DeviceSettings, LocationMode } from '@family-watch/domain/watch-settings/contracts/device-settings';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

interface SettingsRow extends Omit<DeviceSettings, 'temporaryMode'> {
  temporaryMode: LocationMode | null;
  temporaryUntil: number;
}

/** Stores the location mode and the lost mode of children's watches. */
@Injectable()
export class DeviceSettingsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns undefined if the settings were never changed. */
  async find(familyId: string, cid: string): Promise<DeviceSettings | undefined> {
    const [row] = await this.unitOfWork.executor.query<SettingsRow>(
      `select location_mode as "locationMode", temporary_mode as "temporaryMode", temporary_until as "temporaryUntil",
          follow_until as "followUntil", lost, lost_message as "lostMessage"
         from userctx.device_settings where family_id = $1 and cid = $2`,
      [familyId, cid],
    );
    if (!row) return undefined;
    const { temporaryMode: mode, temporaryUntil: until, ...permanent } = row;
    return { ...permanent, temporaryMode: mode === null ? null : { mode, until } };
  }

  async save(familyId: string, cid: string, settings: DeviceSettings): Promise<void> {
    const { locationMode, temporaryMode, followUntil, lost, lostMessage } = settings;
    await this.unitOfWork.executor.query(
      `insert into userctx.device_settings
         (family_id, cid, location_mode, temporary_mode, temporary_until, lost, lost_message, follow_until)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (cid) do update set location_mode = excluded.location_mode,
         temporary_mode = excluded.temporary_mode, temporary_until = excluded.temporary_until,
         lost = excluded.lost, lost_message = excluded.lost_message,
         follow_until = excluded.follow_until`,
      [
        familyId,
        cid,
        locationMode,
        temporaryMode?.mode ?? null,
        temporaryMode?.until ?? null,
        lost,
        lostMessage,
        followUntil,
      ],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.device_settings where cid = $1', [cid]);
  }
}
