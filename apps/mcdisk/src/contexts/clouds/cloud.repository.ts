import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DEFAULT_QUOTA_BYTES, MAX_CONTENTS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** Contents and their bytes. */
export interface ContentTotals {
  count: number;
  bytes: number;
}

/** Too many bytes, or too many contents. */
export type QuotaFailure = 'QUOTA_EXCEEDED' | 'LIMIT_REACHED';

export function totalsOf(contents: readonly { size: number }[]): ContentTotals {
  return { count: contents.length, bytes: contents.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * The count of contents after some have ended. While an update of the service is under way, an instance of the version
 * before adds contents without counting them: these must be able to end as well (fsck counts anew).
 */
function fewer(parameter: number): string {
  return `greatest(content_count - $${parameter}::integer, 0)`;
}

/**
 * Clouds and their quota. A cloud's row is the last one that a unit of work locks, after contents and uploads,
 * so that two units never wait for each other.
 */
@Injectable()
export class CloudRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Does nothing where the family has one. */
  async createIfAbsent(cloudID: string, now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.family_cloud (cloud_id, disk_size, created_at, updated_at) VALUES ($1, $2, $3, $3)
       ON CONFLICT (cloud_id) DO NOTHING`,
      [cloudID, DEFAULT_QUOTA_BYTES, now],
    );
  }

  findMany(cloudIDs: readonly string[]): Promise<FamilyCloudEntity[]> {
    return this.unitOfWork.manager.find(FamilyCloudEntity, {
      where: { cloudId: In([...cloudIDs]) },
      order: { createdAt: 'ASC', cloudId: 'ASC' },
    });
  }

  /**
   * Holds a place and bytes for announced uploads, and for contents that are there at once.
   * @returns why they do not fit; nothing was taken then
   */
  reserve(
    cloudID: string,
    { count, reserved, used }: { count: number; reserved: number; used: number },
    now: number,
  ): Promise<QuotaFailure | undefined> {
    return this.hold(cloudID, { count, reserved, used, updatedAt: used > 0 ? now : 0 });
  }

  /** Announced uploads, of any clouds, have ended without a content. Locks the clouds' rows by id. */
  async releaseReservations(ended: readonly { cloudId: string; size: number }[]): Promise<void> {
    const byCloud = Map.groupBy(ended, ({ cloudId }) => cloudId);
    for (const cloudId of [...byCloud.keys()].sort()) {
      const { count, bytes } = totalsOf(byCloud.get(cloudId) ?? []);
      await this.unitOfWork.executor.query(
        `UPDATE mcdisk.family_cloud SET reserved_size = reserved_size - $2, content_count = ${fewer(3)}
          WHERE cloud_id = $1`,
        [cloudId, bytes, count],
      );
    }
  }

  /** Contents were added at once, nothing having been reserved. The same answer as of {@link reserve}. */
  charge(cloudID: string, { count, bytes }: ContentTotals, now: number): Promise<QuotaFailure | undefined> {
    return this.hold(cloudID, { count, reserved: 0, used: bytes, updatedAt: now });
  }

  /** Active contents went to the recycle bin. */
  async recycle(cloudID: string, bytes: number, now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud
          SET used_size = used_size - $2, recycle_size = recycle_size + $2, updated_at = $3
        WHERE cloud_id = $1`,
      [cloudID, bytes, now],
    );
  }

  /** Contents came back from the recycle bin; the quota as a whole stays as it was. */
  async restore(cloudID: string, bytes: number, now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud
          SET used_size = used_size + $2, recycle_size = recycle_size - $2, updated_at = $3
        WHERE cloud_id = $1`,
      [cloudID, bytes, now],
    );
  }

  /** Contents left the recycle bin for good. */
  async purge(cloudID: string, { count, bytes }: ContentTotals, now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud
          SET recycle_size = recycle_size - $2, content_count = ${fewer(4)}, updated_at = $3
        WHERE cloud_id = $1`,
      [cloudID, bytes, now, count],
    );
  }

  private async hold(
    cloudID: string,
    { count, reserved, used, updatedAt }: { count: number; reserved: number; used: number; updatedAt: number },
  ): Promise<QuotaFailure | undefined> {
    const rows = await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud
          SET reserved_size = reserved_size + $2, used_size = used_size + $3, content_count = content_count + $4,
              updated_at = greatest(updated_at, $5)
        WHERE cloud_id = $1 AND used_size + reserved_size + recycle_size + $2 + $3 <= disk_size
          AND content_count + $4 <= ${MAX_CONTENTS_PER_CLOUD}
        RETURNING cloud_id`,
      [cloudID, reserved, used, count, updatedAt],
    );
    return rows.length > 0 ? undefined : this.whyFull(cloudID, count);
  }

  private async whyFull(cloudID: string, count: number): Promise<QuotaFailure> {
    const cloud = await this.unitOfWork.manager.findOneByOrFail(FamilyCloudEntity, { cloudId: cloudID });
    return cloud.contentCount + count > MAX_CONTENTS_PER_CLOUD ? 'LIMIT_REACHED' : 'QUOTA_EXCEEDED';
  }
}
