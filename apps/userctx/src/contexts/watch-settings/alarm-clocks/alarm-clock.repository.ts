import { Injectable } from '@nestjs/common';
import type { AlarmClock } from '@family-watch/domain/watch-settings/contracts/alarm-clock';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

const COLUMNS = `alarm_id as "alarmId", hour, minute, repeat, weekdays, skip_dates as "skipDates", label, enabled,
  set_at as "setAt"`;

@Injectable()
export class AlarmClockRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the alarms in order of the time of day. */
  findByChild(familyId: string, cid: string): Promise<AlarmClock[]> {
    return this.unitOfWork.executor.query<AlarmClock>(
      `select ${COLUMNS} from userctx.alarm_clock where family_id = $1 and cid = $2
        order by hour, minute, created_at, alarm_id`,
      [familyId, cid],
    );
  }

  async find(familyId: string, cid: string, alarmId: string): Promise<AlarmClock | undefined> {
    const [alarm] = await this.unitOfWork.executor.query<AlarmClock>(
      `select ${COLUMNS} from userctx.alarm_clock where family_id = $1 and cid = $2 and alarm_id = $3`,
      [familyId, cid, alarmId],
    );
    return alarm;
  }

  async add(familyId: string, cid: string, alarm: AlarmClock): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.alarm_clock (family_id, cid, alarm_id, hour, minute, repeat, weekdays, skip_dates, label,
         enabled, set_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
      [familyId, cid, ...toValues(alarm)],
    );
  }

  async update(familyId: string, cid: string, alarm: AlarmClock): Promise<void> {
    await this.unitOfWork.executor.query(
      `update userctx.alarm_clock
          set hour = $4, minute = $5, repeat = $6, weekdays = $7, skip_dates = $8, label = $9, enabled = $10, set_at = $11
        where family_id = $1 and cid = $2 and alarm_id = $3`,
      [familyId, cid, ...toValues(alarm)],
    );
  }

  async remove(familyId: string, cid: string, alarmId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.alarm_clock where family_id = $1 and cid = $2 and alarm_id = $3',
      [familyId, cid, alarmId],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.alarm_clock where cid = $1', [cid]);
  }
}

function toValues(alarm: AlarmClock): unknown[] {
  const { alarmId, hour, minute, repeat, weekdays, skipDates, label, enabled, setAt } = alarm;
  return [alarmId, hour, minute, repeat, weekdays, skipDates, label, enabled, setAt];
}
