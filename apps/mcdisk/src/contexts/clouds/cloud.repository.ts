import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import type { EntityTarget, FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import { DEFAULT_QUOTA_BYTES, MAX_CONTENTS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { RELEASE_RESERVATION, MOVE_USAGE_TO_RECYCLE_BIN, SUBTRACT_PURGED_USAGE, INCREASE_USAGE } from './clouds.sql.js';

/** Number of contents and their size in bytes. */
export interface ContentTotals {
  count: number;
  bytes: number;
}

/** Reason why contents do not fit into a cloud: too many bytes or too many contents. */
export type QuotaFailure = 'QUOTA_EXCEEDED' | 'LIMIT_REACHED';

export function totalsOf(contents: readonly { size: number }[]): ContentTotals {
  return { count: contents.length, bytes: contents.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * Stores clouds and their quota. Every transaction locks the cloud's row last, after contents and uploads, so that
 * transactions do not deadlock.
 */
@Injectable()
export class CloudRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Creates the cloud of a family unless it exists. */
  async createIfAbsent(cloudID: string, now: number): Promise<void> {
    await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(FamilyCloudEntity)
      .values({ cloudId: cloudID, diskSize: DEFAULT_QUOTA_BYTES, createdAt: now, updatedAt: now })
      .orIgnore()
      .execute();
  }

  /**
   * Sets the quota to the size that every cloud has plus the paid bytes, unless the cloud contains a newer version of
   * the family's entitlements. A quota below the used size deletes nothing; it only rejects further uploads.
   */
  async setPaidBytes(cloudId: string, { version, cloudBytes }: { version: number; cloudBytes: number }): Promise<void> {
    await this.unitOfWork.manager.update(
      FamilyCloudEntity,
      { cloudId, entitlementVersion: LessThan(version) },
      { entitlementVersion: version, diskSize: DEFAULT_QUOTA_BYTES + cloudBytes },
    );
  }

  /** Locks the cloud's row, so that transactions that count rows of the cloud and then insert one run one at a time. */
  async lock(cloudID: string): Promise<void> {
    this.unitOfWork.takeTurn(cloudID);
    await this.unitOfWork.manager.findOne(FamilyCloudEntity, {
      select: { cloudId: true },
      where: { cloudId: cloudID },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Inserts a row unless the cloud has `limit` rows that match `countedRows`. Locks the cloud's row, so that concurrent
   * inserts cannot exceed the limit.
   * @returns false when the limit is reached
   */
  async insertWithinLimit<Row extends { cloudId: string }>(
    entity: EntityTarget<Row>,
    row: Row,
    { limit, countedRows }: { limit: number; countedRows: FindOptionsWhere<Row> | FindOptionsWhere<Row>[] },
  ): Promise<boolean> {
    const { manager } = this.unitOfWork;
    await this.lock(row.cloudId);
    if ((await manager.countBy(entity, countedRows)) >= limit) return false;
    await manager.insert(entity, row as QueryDeepPartialEntity<Row>);
    return true;
  }

  findMany(cloudIDs: readonly string[]): Promise<FamilyCloudEntity[]> {
    return this.unitOfWork.manager.find(FamilyCloudEntity, {
      where: { cloudId: In([...cloudIDs]) },
      order: { createdAt: 'ASC', cloudId: 'ASC' },
    });
  }

  /**
   * Reserves quota for announced uploads, and charges contents that are added immediately.
   * @returns the reason when the uploads or contents do not fit; in this case nothing is reserved or charged
   */
  reserve(
    cloudID: string,
    { count, reserved, used }: { count: number; reserved: number; used: number },
    now: number,
  ): Promise<QuotaFailure | undefined> {
    return this.increaseUsage(cloudID, { count, reserved, used, updatedAt: used > 0 ? now : 0 });
  }

  /**
   * Releases the reserved quota of uploads, of any clouds, that ended without a content. Locks the clouds' rows in id
   * order.
   */
  async releaseReservations(terminated: readonly { cloudId: string; size: number }[]): Promise<void> {
    const byCloud = Map.groupBy(terminated, ({ cloudId }) => cloudId);
    for (const cloudId of [...byCloud.keys()].sort()) {
      const { count, bytes } = totalsOf(byCloud.get(cloudId) ?? []);
      await this.unitOfWork.executor.query(RELEASE_RESERVATION, [cloudId, bytes, count]);
    }
  }

  /** Charges contents that were added without a reservation. Returns, like {@link reserve}, why they do not fit. */
  charge(cloudID: string, { count, bytes }: ContentTotals, now: number): Promise<QuotaFailure | undefined> {
    return this.increaseUsage(cloudID, { count, reserved: 0, used: bytes, updatedAt: now });
  }

  /** Moves the bytes of recycled contents from the cloud's used size to its recycled size; their total is unchanged. */
  async recycle(cloudID: string, bytes: number, now: number): Promise<void> {
    await this.unitOfWork.executor.query(MOVE_USAGE_TO_RECYCLE_BIN, [cloudID, bytes, now]);
  }

  /** Moves the bytes of restored contents from the cloud's recycled size to its used size; their total is unchanged. */
  async restore(cloudID: string, bytes: number, now: number): Promise<void> {
    await this.recycle(cloudID, -bytes, now);
  }

  /** Releases the quota of contents that were purged from the recycle bin. */
  async purge(cloudID: string, { count, bytes }: ContentTotals, now: number): Promise<void> {
    await this.unitOfWork.executor.query(SUBTRACT_PURGED_USAGE, [cloudID, bytes, now, count]);
  }

  private async increaseUsage(
    cloudID: string,
    { count, reserved, used, updatedAt }: { count: number; reserved: number; used: number; updatedAt: number },
  ): Promise<QuotaFailure | undefined> {
    const rows = await this.unitOfWork.executor.query(INCREASE_USAGE, [cloudID, reserved, used, count, updatedAt]);
    return rows.length > 0 ? undefined : this.findQuotaFailure(cloudID, count);
  }

  private async findQuotaFailure(cloudID: string, count: number): Promise<QuotaFailure> {
    const cloud = await this.unitOfWork.manager.findOneByOrFail(FamilyCloudEntity, { cloudId: cloudID });
    return cloud.contentCount + count > MAX_CONTENTS_PER_CLOUD ? 'LIMIT_REACHED' : 'QUOTA_EXCEEDED';
  }
}
