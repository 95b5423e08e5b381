import { Injectable } from '@nestjs/common';
import { In, LessThan, type EntityTarget, type FindOptionsWhere, type QueryDeepPartialEntity } from 'typeorm';
import { DEFAULT_QUOTA_BYTES, MAX_CONTENTS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/**
 * Returns the SQL of the decremented count of contents. The count never becomes negative: during a rolling update,
 * instances of the old version add contents without counting them. Fsck corrects the count.
 * @param parameter number of the statement parameter by which the count decreases
 */
function decrementedCountSql(parameter: number): string {
  return `greatest(content_count - $${parameter}::integer, 0)`;
}

const RELEASE_RESERVATION = `
  UPDATE mcdisk.family_cloud SET reserved_size = reserved_size - $2, content_count = ${decrementedCountSql(3)}
   WHERE cloud_id = $1`;

const MOVE_USAGE_TO_RECYCLE_BIN = prepared(`
  UPDATE mcdisk.family_cloud
     SET used_size = used_size - $2, recycle_size = recycle_size + $2, updated_at = $3
   WHERE cloud_id = $1`);

const SUBTRACT_PURGED_USAGE = prepared(`
  UPDATE mcdisk.family_cloud
     SET recycle_size = recycle_size - $2, content_count = ${decrementedCountSql(4)}, updated_at = $3
   WHERE cloud_id = $1`);

const INCREASE_USAGE = prepared(`
  UPDATE mcdisk.family_cloud
     SET reserved_size = reserved_size + $2, used_size = used_size + $3, content_count = content_count + $4,
         updated_at = greatest(updated_at, $5)
   WHERE cloud_id = $1 AND used_size + reserved_size + recycle_size + $2 + $3 <= disk_size
     AND content_count + $4 <= ${MAX_CONTENTS_PER_CLOUD}
   RETURNING cloud_id`);

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
