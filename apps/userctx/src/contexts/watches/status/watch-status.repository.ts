import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch';
import { WatchStatusEntity, DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { CounterReading } from './step-count.js';

/** Maximum of the int32 fields in specification 2.1. */
const MAX_STEPS = 2_147_483_647;

/**
 * Stores the last reported status of watches, and the steps of children by day (`YYYY-MM-DD` in the child's time zone).
 * Times are Unix milliseconds.
 */
@Injectable()
export class WatchStatusRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the status and locks its row until the transaction ends. */
  findLocked(did: number): Promise<WatchStatusEntity | null> {
    return this.unitOfWork.manager.findOne(WatchStatusEntity, {
      where: { did },
      lock: { mode: 'pessimistic_write' },
    });
  }

  findAll(dids: readonly number[]): Promise<WatchStatusEntity[]> {
    return this.unitOfWork.manager.findBy(WatchStatusEntity, { did: In([...dids]) });
  }

  /**
   * Stores the status reported at `time`, except for the step counter. Omitted values are unchanged. Ignores deleted
   * watches, and reports that are not newer than the stored one.
   */
  async recordStatus(did: number, status: WatchStatus, time: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored
         (did, battery, charging, worn, signal, signal_max, firmware_version, reported_at, last_seen)
       select did, $2, $3, $4, $5, $6, $7, $8, $8 from userctx.watch where did = $1
       on conflict (did) do update set
         battery = coalesce(excluded.battery, stored.battery),
         charging = coalesce(excluded.charging, stored.charging),
         worn = coalesce(excluded.worn, stored.worn),
         signal = coalesce(excluded.signal, stored.signal),
         signal_max = coalesce(excluded.signal_max, stored.signal_max),
         firmware_version = coalesce(excluded.firmware_version, stored.firmware_version),
         reported_at = excluded.reported_at,
         last_seen = greatest(excluded.last_seen, stored.last_seen)
       where stored.reported_at is null or stored.reported_at < excluded.reported_at`,
      [
        did,
        status.battery,
        status.charging,
        status.worn,
        status.signal,
        status.signalMax,
        status.firmwareVersion,
        time,
      ],
    );
  }

  /** Stores a reading of the step counter, unless a newer one is stored. */
  async recordSteps(did: number, { total, time }: CounterReading): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored (did, step_total, steps_at, last_seen)
       select did, $2, $3, $3 from userctx.watch where did = $1
       on conflict (did) do update set
         step_total = excluded.step_total,
         steps_at = excluded.steps_at,
         last_seen = greatest(excluded.last_seen, stored.last_seen)
       where stored.steps_at is null or stored.steps_at < excluded.steps_at`,
      [did, total, time],
    );
  }

  /** Stores whether the watch was online at `time`, unless newer information is stored. */
  async recordPresence(did: number, online: boolean, time: number, lastSeen: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored (did, online, presence_at, last_seen)
       select did, $2, $3, $4 from userctx.watch where did = $1
       on conflict (did) do update set
         online = excluded.online,
         presence_at = excluded.presence_at,
         last_seen = greatest(excluded.last_seen, stored.last_seen)
       where stored.presence_at is null or stored.presence_at <= excluded.presence_at`,
      [did, online, time, lastSeen],
    );
  }

  /** Stores that the watch was in contact at `time`. */
  async recordContact(did: number, time: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored (did, last_seen)
       select did, $2 from userctx.watch where did = $1
       on conflict (did) do update set last_seen = greatest(excluded.last_seen, stored.last_seen)`,
      [did, time],
    );
  }

  async addSteps({ cid, day, steps }: DailyStepsEntity): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.step_day as stored (cid, day, steps) values ($1, $2, least($3::bigint, $4))
       on conflict (cid, day) do update set steps = least(stored.steps::bigint + $3::bigint, $4)`,
      [cid, day, steps, MAX_STEPS],
    );
  }

  async eraseSteps(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(DailyStepsEntity, { cid });
  }
}
