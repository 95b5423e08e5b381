import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import type { SettingsAckState, SettingsResource } from '@family-watch/domain/watch-settings/contracts/settings-state';
import { SettingsVersionEntity } from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { INCREMENT_VERSION } from './watch-settings.sql.js';

/**
 * Identifies the binding in which a watch acknowledged settings. A watch that is bound again has not acknowledged
 * anything yet.
 */
export interface BindingKey {
  did: number;
  /** Unix milliseconds. */
  boundAt: number;
}

/**
 * The version of a settings resource and its newest acknowledgement, with the binding in which the watch acknowledged.
 */
export interface StoredVersion {
  resource: SettingsResource;
  version: number;
  ack: (SettingsAckState & BindingKey) | null;
}

/** Stores the versions of a child's settings. A settings resource without a row was never changed. */
@Injectable()
export class SettingsVersionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async find(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion> {
    const row = await this.table.findOneBy({ familyId, cid, resource });
    return row ? toVersion(row) : { resource, version: 0, ack: null };
  }

  /** Returns the settings resources of the child that were changed at least once. */
  async findChanged(familyId: string, cid: string): Promise<StoredVersion[]> {
    const rows = await this.table.find({
      where: { familyId, cid, version: MoreThan(0) },
      order: { resource: 'ASC' },
    });
    return rows.map(toVersion);
  }

  /**
   * Reads like {@link find} and locks the row until the transaction ends. Returns undefined if the settings resource
   * was never changed.
   */
  async lock(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion | undefined> {
    const row = await this.table.findOne({
      where: { familyId, cid, resource },
      lock: { mode: 'pessimistic_write' },
    });
    return row ? toVersion(row) : undefined;
  }

  async increment(familyId: string, cid: string, resource: SettingsResource): Promise<number> {
    const parameters = [familyId, cid, resource];
    const [row] = await this.unitOfWork.executor.query<{ version: number }>(INCREMENT_VERSION, parameters);
    if (!row) throw new Error('The version update returned no row');
    return row.version;
  }

  async saveAck(
    familyId: string,
    cid: string,
    resource: SettingsResource,
    { version: acknowledgedVersion, ...ack }: SettingsAckState & BindingKey,
  ): Promise<void> {
    const { did, boundAt, status, reason, appliedVersion } = ack;
    await this.table.update(
      { familyId, cid, resource },
      { did, boundAt, acknowledgedVersion, status, reason, appliedVersion },
    );
  }

  async erase(cid: string): Promise<void> {
    await this.table.delete({ cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(SettingsVersionEntity);
  }
}

/** A check ensures that the columns of an acknowledgement are null together. */
function toVersion(row: SettingsVersionEntity): StoredVersion {
  const { resource, version, did, boundAt, acknowledgedVersion, status, reason, appliedVersion } = row;
  if (did === null || boundAt === null || acknowledgedVersion === null || status === null) {
    return { resource, version, ack: null };
  }
  return { resource, version, ack: { did, boundAt, version: acknowledgedVersion, status, reason, appliedVersion } };
}
