import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { REQUEST_EMPTYING } from './recycle-bin.sql.js';

/**
 * Stores pending requests to empty a recycle bin, which any replica can process. Each cloud has at most one row, which
 * is deleted when the recycle bin is empty.
 */
@Injectable()
export class RecycleBinEmptyingRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Inserts a request, or extends the cloud's pending request to contents that were deleted since. */
  async request({
    cloudId,
    requestedBy,
    recycledUntil,
  }: Pick<RecycleBinEmptyingEntity, 'cloudId' | 'requestedBy' | 'recycledUntil'>): Promise<void> {
    await this.unitOfWork.executor.query(REQUEST_EMPTYING, [cloudId, requestedBy, recycledUntil]);
  }

  /** Locks the request that has been due longest until the transaction ends; skips locked rows. */
  lockDue(now: number): Promise<RecycleBinEmptyingEntity | null> {
    return this.unitOfWork.manager.findOne(RecycleBinEmptyingEntity, {
      where: { nextAt: LessThanOrEqual(now) },
      order: { nextAt: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
  }

  async saveProgress(
    cloudId: string,
    progress: Pick<RecycleBinEmptyingEntity, 'recycledFrom' | 'nextAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(RecycleBinEmptyingEntity, { cloudId }, progress);
  }

  async delete(cloudId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RecycleBinEmptyingEntity, { cloudId });
  }
}
