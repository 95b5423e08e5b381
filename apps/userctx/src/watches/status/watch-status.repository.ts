import { Injectable } from '@nestjs/common';
import { Any, LessThan } from 'typeorm';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import { WatchStatusEntity, DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MAX_STEPS_PER_DAY, type DaySteps, type PreviousReading } from './step-count.js';

/**
 * Only a newer report changes the row. Ignores deleted watches. A signal level above the highest one of the watch is
 * stored as the highest one.
 */
const RECORD_STATUS = `
  INSERT INTO userctx.watch_status AS stored
    (did, battery, charging, worn, signal, signal_max, firmware_version, reported_at, last_seen)
  SELECT did, $2, $3, $4, CASE WHEN $5::int > $6::int THEN $6::int ELSE $5::int END, $6, $7, $8, $8
    FROM userctx.watch WHERE did = $1
  ON CONFLICT (did) DO UPDATE SET
    battery = coalesce(excluded.battery, stored.battery),
    charging = coalesce(excluded.charging, stored.charging),
    worn = coalesce(excluded.worn, stored.worn),
    signal = CASE
      WHEN coalesce(excluded.signal, stored.signal) > coalesce(excluded.signal_max, stored.signal_max)
      THEN coalesce(excluded.signal_max, stored.signal_max)
      ELSE coalesce(excluded.signal, stored.signal)
    END,
    signal_max = coalesce(excluded.signal_max, stored.signal_max),
    firmware_version = coalesce(excluded.firmware_version, stored.firmware_version),
    reported_at = excluded.reported_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  WHERE stored.reported_at IS NULL OR stored.reported_at < excluded.reported_at`;

const RECORD_STEPS = `
  INSERT INTO userctx.watch_status AS stored (did, step_total, steps_at, last_seen)
  SELECT did, $2, $3, $3 FROM userctx.watch WHERE did = $1
  ON CONFLICT (did) DO UPDATE SET
    step_total = excluded.step_total,
    steps_at = excluded.steps_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  WHERE stored.steps_at IS NULL OR stored.steps_at < excluded.steps_at`;

const RECORD_PRESENCE = `
  INSERT INTO userctx.watch_status AS stored (did, online, presence_at, last_seen)
  SELECT did, $2, $3, $4 FROM userctx.watch WHERE did = $1
  ON CONFLICT (did) DO UPDATE SET
    online = excluded.online,
    presence_at = excluded.presence_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  WHERE stored.presence_at IS NULL OR stored.presence_at <= excluded.presence_at`;

const RECORD_CONTACT = `
  INSERT INTO userctx.watch_status AS stored (did, last_seen)
  SELECT did, $2 FROM userctx.watch WHERE did = $1
  ON CONFLICT (did) DO UPDATE SET last_seen = greatest(excluded.last_seen, stored.last_seen)`;

/** Steps are added up to the maximum $4. */
const ADD_STEPS = `
  INSERT INTO userctx.step_day AS stored (cid, day, steps) VALUES ($1, $2, least($3::bigint, $4))
  ON CONFLICT (cid, day) DO UPDATE SET steps = least(stored.steps::bigint + $3::bigint, $4)`;

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
