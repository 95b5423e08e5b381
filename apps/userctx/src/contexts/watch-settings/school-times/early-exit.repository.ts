import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { EarlyExitDto } from '@family-watch/domain/watch-settings/dto/school-time.dto';
import { EarlyExitEntity } from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { ReportingWatch } from '../reporting-watch.service.js';
import { INSERT_EARLY_EXITS } from './early-exit.sql.js';

/** Stores when children left school mode early. Times are Unix milliseconds. */
@Injectable()
export class EarlyExitRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Inserts early exits. Existing entries with the same watch and time are unchanged. */
  async add({ familyId, cid, did }: ReportingWatch, exits: readonly EarlyExitDto[], reportedAt: number): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_EARLY_EXITS, [
      familyId,
      cid,
      did,
      reportedAt,
      exits.map(({ exitId }) => exitId),
      exits.map(({ time }) => time),
      exits.map(({ schoolTimeId }) => schoolTimeId),
    ]);
  }

  /** Returns the early exits after the cursor `after`, newest first. */
  findByChild(familyId: string, cid: string, after: TimeCursor, limit: number): Promise<EarlyExitDto[]> {
    return this.table
      .createQueryBuilder('exit')
      .select(['exit.exitId', 'exit.time', 'exit.schoolTimeId'])
      .where({ familyId, cid })
      .andWhere('(exit.time, exit.exitId) < (:time, :id)', { ...after })
      .orderBy({ 'exit.time': 'DESC', 'exit.exitId': 'DESC' })
      .limit(limit)
      .getMany();
  }

  async deleteReportedBefore(time: number): Promise<void> {
    await this.table.delete({ reportedAt: LessThan(time) });
  }

  async erase(cid: string): Promise<void> {
    await this.table.delete({ cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(EarlyExitEntity);
  }
}
