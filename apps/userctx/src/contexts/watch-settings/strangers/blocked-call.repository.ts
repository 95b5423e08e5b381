import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { CALL_OUTCOME } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import type { CallOutcome } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import type { BlockedCallDto } from '@family-watch/domain/watch-settings/dto/stranger.dto';
import { BlockedCallEntity } from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { ReportingWatch } from '../reporting-watch.service.js';
import { INSERT_CALLS } from './blocked-call.sql.js';

/** A call from a stranger as reported by the watch. */
export interface StrangerCall extends BlockedCallDto {
  outcome: CallOutcome;
}

/** Stores calls from strangers and their outcome. Times are Unix milliseconds. */
@Injectable()
export class BlockedCallRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Inserts calls. Existing entries with the same watch, time and number are unchanged.
   * @returns the ids of the new entries
   */
  async add(
    { familyId, cid, did }: ReportingWatch,
    calls: readonly StrangerCall[],
    reportedAt: number,
  ): Promise<Set<string>> {
    const added = await this.unitOfWork.executor.query<{ callId: string }>(INSERT_CALLS, [
      familyId,
      cid,
      did,
      reportedAt,
      calls.map(({ callId }) => callId),
      calls.map(({ time }) => time),
      calls.map(({ areaCode }) => areaCode),
      calls.map(({ phoneNumber }) => phoneNumber),
      calls.map(({ cause }) => cause),
      calls.map(({ outcome }) => outcome),
    ]);
    return new Set(added.map(({ callId }) => callId));
  }

  /** Returns the blocked calls after the cursor `after`, newest first. */
  findByChild(familyId: string, cid: string, after: TimeCursor, limit: number): Promise<BlockedCallDto[]> {
    return this.table
      .createQueryBuilder('call')
      .select(['call.callId', 'call.time', 'call.areaCode', 'call.phoneNumber', 'call.cause'])
      .where({ familyId, cid, outcome: CALL_OUTCOME.BLOCKED })
      .andWhere('(call.time, call.callId) < (:time, :id)', { ...after })
      .orderBy({ 'call.time': 'DESC', 'call.callId': 'DESC' })
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
    return this.unitOfWork.manager.getRepository(BlockedCallEntity);
  }
}
