import { Injectable } from '@nestjs/common';
import type { SchoolExceptions, SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { SchoolTimeRepository } from './school-time.repository.js';

export interface SchoolSchedule extends SchoolExceptions {
  schoolTimes: SchoolTime[];
}

/** Answers other contexts' questions about school times; they decide for whom they ask. */
@Injectable()
export class SchoolSchedules {
  constructor(private readonly schoolTimes: SchoolTimeRepository) {}

  async of(familyId: string, cid: string): Promise<SchoolSchedule> {
    const schoolTimes = await this.schoolTimes.ofChild(familyId, cid);
    return { schoolTimes, pausedOn: await this.schoolTimes.findPause(familyId, cid) };
  }
}
