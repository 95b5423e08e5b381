import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import type { BlockedCallDto } from '@family-watch/domain/watch-settings/dto/blocked-call.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { LogCursor } from '../log-cursor.js';
import type { ReportingWatch } from '../reporting-watch.service.js';

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
    const added = await this.unitOfWork.executor.query<{ callId: string }>(
      `insert into userctx.blocked_call
         (family_id, cid, did, reported_at, call_id, time, area_code, phone_number, cause, outcome)
       select $1::uuid, $2::uuid, $3::bigint, $4::bigint, *
         from unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[])
       on conflict on constraint blocked_call_once do nothing
       returning call_id as "callId"`,
      [
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
      ],
    );
    return new Set(added.map(({ callId }) => callId));
  }

  /** Returns the blocked calls after the cursor `after`, newest first. */
  findByChild(familyId: string, cid: string, after: LogCursor, limit: number): Promise<BlockedCallDto[]> {
    return this.unitOfWork.executor.query<BlockedCallDto>(
      `select call_id as "callId", time, area_code as "areaCode", phone_number as "phoneNumber", cause
         from userctx.blocked_call
        where family_id = $1 and cid = $2 and outcome = 'BLOCKED' and (time, call_id) < ($3::bigint, $4::uuid)
        order by time desc, call_id desc limit $5`,
      [familyId, cid, after.time, after.id, limit],
    );
  }

  async deleteReportedBefore(time: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.blocked_call where reported_at < $1', [time]);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.blocked_call where cid = $1', [cid]);
  }
}
