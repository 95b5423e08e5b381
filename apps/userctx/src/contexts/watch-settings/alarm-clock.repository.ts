import { Injectable } from '@nestjs/common';
import type { AlarmClock } from '@family-watch/domain/watch-settings/contracts/alarm-clock';
import { AlarmClockEntity } from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@Injectable()
export class AlarmClockRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the alarms in order of the time of day. */
  async findByChild(familyId: string, cid: string): Promise<AlarmClock[]> {
    const alarms = await this.table.find({
      where: { familyId, cid },
      order: { hour: 'ASC', minute: 'ASC', createdAt: 'ASC', alarmId: 'ASC' },
    });
    return alarms.map(toAlarmClock);
  }

  async find(familyId: string, cid: string, alarmId: string): Promise<AlarmClock | undefined> {
    const alarm = await this.table.findOneBy({ familyId, cid, alarmId });
    return alarm ? toAlarmClock(alarm) : undefined;
  }

  async add(familyId: string, cid: string, alarm: AlarmClock): Promise<void> {
    await this.table.insert({ ...alarm, familyId, cid, createdAt: alarm.setAt });
  }

  async update(familyId: string, cid: string, { alarmId, ...changes }: AlarmClock): Promise<void> {
    await this.table.update({ familyId, cid, alarmId }, changes);
  }

  async remove(familyId: string, cid: string, alarmId: string): Promise<void> {
    await this.table.delete({ familyId, cid, alarmId });
  }

  async erase(cid: string): Promise<void> {
    await this.table.delete({ cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(AlarmClockEntity);
  }
}

function toAlarmClock({ familyId, cid, createdAt, ...alarm }: AlarmClockEntity): AlarmClock {
  return alarm;
}
