import { Injectable } from '@nestjs/common';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

const COLUMNS = `school_time_id as "schoolTimeId", label, starts as start, ends as "end", weekdays, holidays,
  extra_dates as "extraDates", allow_contacts as "allowContacts", enabled`;

/**
 * Stores school times of children and the day on which they are paused. Days are `YYYY-MM-DD` in the child's time zone.
 */
@Injectable()
export class SchoolTimeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the school times in order of the time of day. */
  findByChild(familyId: string, cid: string): Promise<SchoolTime[]> {
    return this.unitOfWork.executor.query<SchoolTime>(
      `select ${COLUMNS} from userctx.school_time where family_id = $1 and cid = $2
        order by starts, created_at, school_time_id`,
      [familyId, cid],
    );
  }

  async add(familyId: string, cid: string, schoolTime: SchoolTime, createdAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.school_time (family_id, cid, school_time_id, label, starts, ends, weekdays, holidays,
         extra_dates, allow_contacts, enabled, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [familyId, cid, ...toValues(schoolTime), createdAt],
    );
  }

  async update(familyId: string, cid: string, schoolTime: SchoolTime): Promise<void> {
    await this.unitOfWork.executor.query(
      `update userctx.school_time
          set label = $4, starts = $5, ends = $6, weekdays = $7, holidays = $8, extra_dates = $9, allow_contacts = $10,
              enabled = $11
        where family_id = $1 and cid = $2 and school_time_id = $3`,
      [familyId, cid, ...toValues(schoolTime)],
    );
  }

  async remove(familyId: string, cid: string, schoolTimeId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.school_time where family_id = $1 and cid = $2 and school_time_id = $3',
      [familyId, cid, schoolTimeId],
    );
  }

  async findPause(familyId: string, cid: string): Promise<string | null> {
    const [row] = await this.unitOfWork.executor.query<{ pausedOn: string }>(
      'select paused_on as "pausedOn" from userctx.school_pause where family_id = $1 and cid = $2',
      [familyId, cid],
    );
    return row?.pausedOn ?? null;
  }

  async pause(familyId: string, cid: string, day: string): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.school_pause (family_id, cid, paused_on) values ($1, $2, $3)
       on conflict (cid) do update set paused_on = excluded.paused_on`,
      [familyId, cid, day],
    );
  }

  async endPause(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.school_pause where family_id = $1 and cid = $2', [
      familyId,
      cid,
    ]);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.school_time where cid = $1', [cid]);
    await this.unitOfWork.executor.query('delete from userctx.school_pause where cid = $1', [cid]);
  }
}

function toValues(schoolTime: SchoolTime): unknown[] {
  const { schoolTimeId, label, start, end, weekdays, holidays, extraDates, allowContacts, enabled } = schoolTime;
  return [schoolTimeId, label, start, end, weekdays, holidays, extraDates, allowContacts, enabled];
}
