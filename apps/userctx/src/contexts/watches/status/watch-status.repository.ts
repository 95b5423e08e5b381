import { Injectable } from '@nestjs/common';
import { Any, LessThan } from 'typeorm';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import { WatchStatusEntity, DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { MAX_STEPS_PER_DAY } from './step-count.js';
import type { DaySteps, PreviousReading } from './step-count.js';
import { ADD_STEPS, RECORD_CONTACT, RECORD_PRESENCE, RECORD_STATUS, RECORD_STEPS } from '../watches.sql.js';

/**
 * Stores the last reported status of watches, and the steps of children by day (`YYYY-MM-DD` in the child's time zone).
 * Times are Unix milliseconds.
 */
@Injectable()
export class WatchStatusRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findAll(dids: readonly number[]): Promise<WatchStatusEntity[]> {
    return this.unitOfWork.manager.findBy(WatchStatusEntity, { did: Any(dids) });
  }

  /** Returns the status and locks its row until the transaction ends. */
  findLocked(did: number): Promise<WatchStatusEntity | null> {
    return this.unitOfWork.manager.findOne(WatchStatusEntity, {
      where: { did },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Stores the status reported at `time`, except for the step counter. Omitted values are unchanged. Ignores deleted
   * watches, and reports that are not newer than the stored status.
   */
  async recordStatus(did: number, status: WatchStatus, time: number): Promise<void> {
    await this.unitOfWork.executor.query(RECORD_STATUS, [
      did,
      status.battery,
      status.charging,
      status.worn,
      status.signal,
      status.signalMax,
      status.firmwareVersion,
      time,
    ]);
  }

  /** Stores a reading of the step counter, unless a newer reading is stored. */
  async recordSteps(did: number, { total, time }: PreviousReading): Promise<void> {
    await this.unitOfWork.executor.query(RECORD_STEPS, [did, total, time]);
  }

  /** Stores whether the watch was online at `time`, unless newer information is stored. */
  async recordPresence(did: number, online: boolean, time: number, lastSeen: number): Promise<void> {
    await this.unitOfWork.executor.query(RECORD_PRESENCE, [did, online, time, lastSeen]);
  }

  /** Stores that the watch was in contact at `time`. */
  async recordContact(did: number, time: number): Promise<void> {
    await this.unitOfWork.executor.query(RECORD_CONTACT, [did, time]);
  }

  /** Adds steps to a child's number of steps on one day, which is at most {@link MAX_STEPS_PER_DAY}. */
  async addSteps({ cid, day, steps }: DailyStepsEntity): Promise<void> {
    await this.unitOfWork.executor.query(ADD_STEPS, [cid, day, steps, MAX_STEPS_PER_DAY]);
  }

  /** Returns at most `limit` days with steps before the day `before` (`YYYY-MM-DD`), newest first. */
  findStepDays(cid: string, before: string, limit: number): Promise<DaySteps[]> {
    return this.unitOfWork.manager.find(DailyStepsEntity, {
      select: { day: true, steps: true },
      where: { cid, day: LessThan(before) },
      order: { day: 'DESC' },
      take: limit,
    });
  }

  /**
   * Deletes what the watch has reported while it acted for a child. The firmware, the connection and the last contact are
   * no data of the family. Reports from before `endedAt` (Unix milliseconds) that arrive later are ignored.
   */
  async clear(did: number, endedAt: number): Promise<void> {
    await this.unitOfWork.manager.update(
      WatchStatusEntity,
      { did },
      {
        battery: null,
        charging: null,
        worn: null,
        signal: null,
        signalMax: null,
        stepTotal: null,
        stepsAt: endedAt,
        reportedAt: endedAt,
      },
    );
  }

  async eraseSteps(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(DailyStepsEntity, { cid });
  }
}
