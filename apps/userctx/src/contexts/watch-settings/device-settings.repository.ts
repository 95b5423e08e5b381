import { Injectable } from '@nestjs/common';
import type { DeviceSettings } from '@family-watch/domain/watch-settings/contracts/device-settings';
import { DeviceSettingsEntity } from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Stores the location mode and the lost mode of children's watches. */
@Injectable()
export class DeviceSettingsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns undefined if the settings were never changed. */
  async find(familyId: string, cid: string): Promise<DeviceSettings | undefined> {
    const row = await this.table.findOneBy({ familyId, cid });
    if (!row) return undefined;
    const { locationMode, temporaryMode: mode, temporaryUntil: until, followUntil, lost, lostMessage } = row;
    const temporaryMode = mode === null || until === null ? null : { mode, until };
    return { locationMode, temporaryMode, followUntil, lost, lostMessage };
  }

  async save(familyId: string, cid: string, { temporaryMode, ...permanent }: DeviceSettings): Promise<void> {
    const { mode = null, until = null } = temporaryMode ?? {};
    const row = { ...permanent, familyId, cid, temporaryMode: mode, temporaryUntil: until };
    await this.table.upsert(row, ['cid']);
  }

  async erase(cid: string): Promise<void> {
    await this.table.delete({ cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(DeviceSettingsEntity);
  }
}
