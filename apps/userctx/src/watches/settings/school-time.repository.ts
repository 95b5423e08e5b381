import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { EarlyExitDto, SchoolTimeDto } from '@family-watch/domain/watches/dto/school-time.dto';
import {
  SchoolPauseEntity,
  SchoolTimeEntity,
  EarlyExitEntity,
} from '@family-watch/domain/watches/entities/watch-settings.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ReportingWatch } from './settings-changes.service.js';

const INSERT_EARLY_EXITS = `
  INSERT INTO userctx.school_early_exit (family_id, cid, did, reported_at, exit_id, time, school_time_id)
  SELECT $1::uuid, $2::uuid, $3::bigint, $4::bigint, * FROM unnest($5::uuid[], $6::bigint[], $7::uuid[])
  ON CONFLICT ON CONSTRAINT school_early_exit_once_key DO NOTHING`;

/**
 * Stores the school times of children, the day on which the school times of a child are paused, and when children left
 * school mode early. Days are `YYYY-MM-DD` in the child's time zone, other times Unix milliseconds.
 */
@Injectable()
export class SchoolTimeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the school times in order of the time of day. */
  async findByChild(familyId: string, cid: string): Promise<SchoolTimeDto[]> {
    const schoolTimes = await this.schoolTimes.find({
      where: { familyId, cid },
      order: { start: 'ASC', createdAt: 'ASC', schoolTimeId: 'ASC' },
    });
    return schoolTimes.map(toSchoolTime);
  }

  async add(familyId: string, cid: string, schoolTime: SchoolTimeDto, createdAt: number): Promise<void> {
    await this.schoolTimes.insert({ ...schoolTime, familyId, cid, createdAt });
  }

  async update(familyId: string, cid: string, { schoolTimeId, ...changes }: SchoolTimeDto): Promise<void> {
    await this.schoolTimes.update({ familyId, cid, schoolTimeId }, changes);
  }

  async remove(familyId: string, cid: string, schoolTimeId: string): Promise<void> {
    await this.schoolTimes.delete({ familyId, cid, schoolTimeId });
  }

  /** Returns the day of the last pause, which may be in the past, or null. */
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
    await this.earlyExits.delete({ cid });
  }

  /** Inserts early exits. An early exit of the same watch at the same time that is already stored is unchanged. */
  async addEarlyExits(
    { familyId, cid, did }: ReportingWatch,
    exits: readonly EarlyExitDto[],
    reportedAt: number,
  ): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_EARLY_EXITS, [
      familyId,
      cid,
      did,
      reportedAt,
      ...columnsOf(exits, 'exitId', 'time', 'schoolTimeId'),
    ]);
  }

  /** Returns a page of early exits, newest first. */
  findEarlyExits(familyId: string, cid: string, page: TimePageRequest): Promise<Page<EarlyExitDto>> {
    const select = ['exitId', 'time', 'schoolTimeId'] as const;
    return findTimePage(this.earlyExits, { familyId, cid }, { time: 'time', id: 'exitId', select }, page);
  }

  async deleteEarlyExitsBefore(reportedBefore: number): Promise<void> {
    await this.earlyExits.delete({ reportedAt: LessThan(reportedBefore) });
  }

  private get schoolTimes() {
    return this.unitOfWork.manager.getRepository(SchoolTimeEntity);
  }

  private get pauses() {
    return this.unitOfWork.manager.getRepository(SchoolPauseEntity);
  }

  private get earlyExits() {
    return this.unitOfWork.manager.getRepository(EarlyExitEntity);
  }
}

function toSchoolTime({ familyId, cid, createdAt, ...schoolTime }: SchoolTimeEntity): SchoolTimeDto {
  return schoolTime;
}
