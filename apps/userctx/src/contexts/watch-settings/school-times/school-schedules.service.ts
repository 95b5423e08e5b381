import { Injectable } from '@nestjs/common';
import type { SchoolPause, SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { SchoolTimeRepository } from './school-time.repository.js';

export interface SchoolSchedule extends SchoolPause {
  schoolTimes: SchoolTime[];
}

/** Provides school times to other contexts. The caller is responsible for authorization. */
@Injectable()
export class SchoolSchedulesService {
  constructor(private readonly schoolTimes: SchoolTimeRepository) {}

  async find(familyId: string, cid: string): Promise<SchoolSchedule> {
    const schoolTimes = await this.schoolTimes.findByChild(familyId, cid);
    return { schoolTimes, pausedOn: await this.schoolTimes.findPause(familyId, cid) };
  }
}
