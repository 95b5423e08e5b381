import { Injectable } from '@nestjs/common';
import { ArrayContains, In, IsNull, LessThanOrEqual } from 'typeorm';
import { DATA_EXPORT_STATE } from '@family-watch/domain/privacy/contracts/data-export';
import { DataExportEntity } from '@family-watch/domain/privacy/entities/data-export.entity';
import { deleteBatch, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

const { WAITING, RUNNING, READY, FAILED, ENDED } = DATA_EXPORT_STATE;

/** Stores exports. Every update is conditional on the state, so that exactly one of several concurrent ones succeeds. */
@Injectable()
export class DataExportRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns false if another export of the person is waiting or running. */
  insertUnlessRunning(request: Partial<DataExportEntity>): Promise<boolean> {
    return insertIfAbsent(this.exports, request);
  }

  findLatest(userId: string): Promise<DataExportEntity | null> {
    return this.exports.findOne({ where: { userId }, order: { requestedAt: 'DESC' } });
  }

  find(exportId: string): Promise<DataExportEntity | null> {
    return this.exports.findOneBy({ exportId });
  }

  findReady(userId: string): Promise<DataExportEntity[]> {
    return this.exports.findBy({ userId, state: READY });
  }

  /** Returns the exports that have not ended and contain data of the family. */
  findByFamily(familyId: string): Promise<DataExportEntity[]> {
    return this.exports.findBy({ familyIds: ArrayContains([familyId]), state: In([WAITING, RUNNING, READY]) });
  }

  /** Returns complete exports that have expired, and incomplete ones without a request or report since `silentSince`. */
  findExpired(now: number, silentSince: number, limit: number): Promise<DataExportEntity[]> {
    return this.exports.find({
      where: [
        { state: READY, expiresAt: LessThanOrEqual(now) },
        { state: In([WAITING, RUNNING]), requestedAt: LessThanOrEqual(silentSince), reportedAt: IsNull() },
        { state: In([WAITING, RUNNING]), reportedAt: LessThanOrEqual(silentSince) },
      ],
      order: { requestedAt: 'ASC' },
      take: limit,
    });
  }

  /** Deletes at most `limit` exports without an archive that were requested before this time. Returns their number. */
  deleteExpiredRecords(requestedBefore: number, limit: number): Promise<number> {
    const where = { state: In([FAILED, ENDED]), requestedAt: LessThanOrEqual(requestedBefore) };
    return deleteBatch(this.exports, { where, limit });
  }

  /** Changes an export that is being assembled; returns false if it is not. */
  async updateRunning(exportId: string, changes: Partial<DataExportEntity>): Promise<boolean> {
    const { affected } = await this.exports.update({ exportId, state: In([WAITING, RUNNING]) }, changes);
    return affected === 1;
  }

  /** Ends an export; returns false if it has ended or failed before. */
  async end(exportId: string): Promise<boolean> {
    const { affected } = await this.exports.update(
      { exportId, state: In([WAITING, RUNNING, READY]) },
      { state: ENDED },
    );
    return affected === 1;
  }

  private get exports() {
    return this.unitOfWork.manager.getRepository(DataExportEntity);
  }
}
