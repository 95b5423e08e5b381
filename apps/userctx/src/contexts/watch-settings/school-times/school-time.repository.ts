import { Injectable } from '@nestjs/common';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import {
  SchoolPauseEntity,
  SchoolTimeEntity,
} from '@family-watch/domain/watch-settings/entities/watch-settings.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/**
 * Stores school times of children and the day on which they are paused. Days are `YYYY-MM-DD` in the child's time zone.
 */
@Injectable()
export class SchoolTimeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the school times in order of the time of day. */
  async findByChild(familyId: string, cid: string): Promise<SchoolTime[]> {
    const schoolTimes = await this.schoolTimes.find({
      where: { familyId, cid },
      order: { start: 'ASC', createdAt: 'ASC', schoolTimeId: 'ASC' },
    });
    return schoolTimes.map(toSchoolTime);
  }

  async add(familyId: string, cid: string, schoolTime: SchoolTime, createdAt: number): Promise<void> {
    await this.schoolTimes.insert({ ...schoolTime, familyId, cid, createdAt });
  }

  async update(familyId: string, cid: string, { schoolTimeId, ...changes }: SchoolTime): Promise<void> {
    await this.schoolTimes.update({ familyId, cid, schoolTimeId }, changes);
  }

  async remove(familyId: string, cid: string, schoolTimeId: string): Promise<void> {
    await this.schoolTimes.delete({ familyId, cid, schoolTimeId });
  }

  async findPause(familyId: string, cid: string): Promise<string | null> {
    const pause = await this.pauses.findOneBy({ familyId, cid });
    return pause?.pausedOn ?? null;
  }

  async pause(familyId: string, cid: string, day: string): Promise<void> {
    await this.pauses.upsert({ familyId, cid, pausedOn: day }, ['cid']);
  }

  async endPause(familyId: string, cid: string): Promise<void> {
    await this.pauses.delete({ familyId, cid });
  }

  async erase(cid: string): Promise<void> {
    await this.schoolTimes.delete({ cid });
    await this.pauses.delete({ cid });
  }

  private get schoolTimes() {
    return this.unitOfWork.manager.getRepository(SchoolTimeEntity);
  }

  private get pauses() {
    return this.unitOfWork.manager.getRepository(SchoolPauseEntity);
  }
}

function toSchoolTime({ familyId, cid, createdAt, ...schoolTime }: SchoolTimeEntity): SchoolTime {
  return schoolTime;
}
