import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { WatchStatus } from '@family-watch/domain/watches/contracts/watch.events';
import { StoredWatchStatus } from '@family-watch/domain/watches/entities/watch-status.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

/** What watches last said of themselves. Times in Unix milliseconds. */
@Injectable()
export class WatchStatusRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Locked until the unit ends. */
  findLocked(did: number): Promise<StoredWatchStatus | null> {
    return this.unitOfWork.manager.findOne(StoredWatchStatus, {
      where: { did },
      lock: { mode: 'pessimistic_write' },
    });
  }

  findAll(dids: readonly number[]): Promise<StoredWatchStatus[]> {
    return this.unitOfWork.manager.findBy(StoredWatchStatus, { did: In([...dids]) });
  }

  /**
   * Stores what was said at `time`. What a report leaves out stays as it was last said. Nothing happens for a watch
   * that has been forgotten, and for a report that is not newer than the stored one.
   */
  async record(did: number, status: WatchStatus, time: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored
         (did, battery, charging, worn, signal, signal_max, step_total, steps_at, firmware_version, reported_at, last_seen)
       select did, $2, $3, $4, $5, $6, $7::bigint, case when $7::bigint is null then null else $9::bigint end, $8, $9, $9
         from userctx.watch where did = $1
       on conflict (did) do update set
         battery = coalesce(excluded.battery, stored.battery),
         charging = coalesce(excluded.charging, stored.charging),
         worn = coalesce(excluded.worn, stored.worn),
         signal = coalesce(excluded.signal, stored.signal),
         signal_max = coalesce(excluded.signal_max, stored.signal_max),
         step_total = coalesce(excluded.step_total, stored.step_total),
         steps_at = coalesce(excluded.steps_at, stored.steps_at),
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
        status.stepTotal,
        status.firmwareVersion,
        time,
      ],
    );
  }

  /** Notes whether the watch was online at `time`, unless something newer is known. */
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

  /** Notes that the watch was heard at `time`. */
  async recordSeen(did: number, time: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.watch_status as stored (did, last_seen)
       select did, $2 from userctx.watch where did = $1
       on conflict (did) do update set last_seen = greatest(excluded.last_seen, stored.last_seen)`,
      [did, time],
    );
  }
}
