import { Injectable } from '@nestjs/common';
import type { EarlyExitDto } from '@family-watch/domain/watch-settings/dto/early-exit.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { LogCursor } from '../log-cursor.js';
import type { ReportingWatch } from '../reporting-watch.service.js';

/** Stores when children left school mode early. Times are Unix milliseconds. */
@Injectable()
export class EarlyExitRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Inserts early exits. Existing entries with the same watch and time are unchanged. */
  async add({ familyId, cid, did }: ReportingWatch, exits: readonly EarlyExitDto[], reportedAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.school_early_exit (family_id, cid, did, reported_at, exit_id, time, school_time_id)
       select $1::uuid, $2::uuid, $3::bigint, $4::bigint, * from unnest($5::uuid[], $6::bigint[], $7::uuid[])
       on conflict on constraint school_early_exit_once do nothing`,
      [
        familyId,
        cid,
        did,
        reportedAt,
        exits.map(({ exitId }) => exitId),
        exits.map(({ time }) => time),
        exits.map(({ schoolTimeId }) => schoolTimeId),
      ],
    );
  }

  /** Returns the early exits after the cursor `after`, newest first. */
  findByChild(familyId: string, cid: string, after: LogCursor, limit: number): Promise<EarlyExitDto[]> {
    return this.unitOfWork.executor.query<EarlyExitDto>(
      `select exit_id as "exitId", time, school_time_id as "schoolTimeId" from userctx.school_early_exit
        where family_id = $1 and cid = $2 and (time, exit_id) < ($3::bigint, $4::uuid)
        order by time desc, exit_id desc limit $5`,
      [familyId, cid, after.time, after.id, limit],
    );
  }

  async deleteReportedBefore(time: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.school_early_exit where reported_at < $1', [time]);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.school_early_exit where cid = $1', [cid]);
  }
}
