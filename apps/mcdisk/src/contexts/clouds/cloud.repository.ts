import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DEFAULT_DISK_SIZE } from '@family-watch/domain/family-cloud/contracts/content';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

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
      [cloudID, DEFAULT_DISK_SIZE, now],
    );
  }

  findMany(cloudIDs: readonly string[]): Promise<FamilyCloudEntity[]> {
    return this.unitOfWork.manager.find(FamilyCloudEntity, {
      where: { cloudId: In([...cloudIDs]) },
      order: { createdAt: 'ASC', cloudId: 'ASC' },
    });
  }

  /** Holds bytes for announced uploads and for contents that are there at once. Returns false when they do not fit. */
  async take(cloudID: string, { reserved, used }: { reserved: number; used: number }, now: number): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `UPDATE mcdisk.family_cloud
          SET reserved_size = reserved_size + $2, used_size = used_size + $3,
              updated_at = CASE WHEN $3::bigint > 0 THEN $4 ELSE updated_at END
        WHERE cloud_id = $1 AND used_size + reserved_size + recycle_size + $2 + $3 <= disk_size
        RETURNING cloud_id`,
      [cloudID, reserved, used, now],
    );
    return rows.length > 0;
  }

  async release(cloudID: string, bytes: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.family_cloud SET reserved_size = reserved_size - $2 WHERE cloud_id = $1`,
      [cloudID, bytes],
    );
  }

  /** Contents were added at once, nothing having been reserved. Returns false when they do not fit. */
  async charge(cloudID: string, bytes: number, now: number): Promise<boolean> {
    const rows = await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud SET used_size = used_size + $2, updated_at = $3
        WHERE cloud_id = $1 AND used_size + reserved_size + recycle_size + $2 <= disk_size
        RETURNING cloud_id`,
      [cloudID, bytes, now],
    );
    return rows.length > 0;
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
  async purge(cloudID: string, bytes: number, now: number): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.family_cloud SET recycle_size = recycle_size - $2, updated_at = $3 WHERE cloud_id = $1`,
      [cloudID, bytes, now],
    );
  }
}
