import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { childLockKeySql } from '../locations/stored-point.js';
import type { ChildKey } from './fence.repository.js';
import type { StoredFenceState } from './stored-fence-states.js';

/** Evaluation state of a child with fences. Times in Unix milliseconds. */
export interface MonitoredChild extends ChildKey {
  /** The version is incremented whenever the child's fences change. */
  version: number;
  states: readonly StoredFenceState[];
  /** Time of the newest evaluated fix. */
  lastTime: number | null;
  /** When a stay inside a fence next reaches the fence's dwell time. */
  nextDwellAt: number | null;
  /** When the child must next have arrived inside a fence. */
  nextArrivalDueAt: number | null;
  /** IANA name. */
  timeZone: string;
  /** The watch that acts as the child. */
  did: number | null;
}

/** `did` and `timeZone` belong to other contexts: they are read with the row and never written. */
const COLUMNS = `watched.cid, watched.family_id as "familyId", watched.version, watched.states,
  watched.last_time as "lastTime", watched.next_dwell as "nextDwellAt", watched.next_arrival as "nextArrivalDueAt",
  child.time_zone as "timeZone", link.did`;

const MONITORED_CHILDREN = `userctx.fence_watch watched
  join userctx.child child on child.cid = watched.cid and child.family_id = watched.family_id
  left join userctx.family_child link on link.cid = watched.cid and link.family_id = watched.family_id`;

const FIND_MONITORED_CHILDREN = `select ${COLUMNS} from ${MONITORED_CHILDREN}
  where (watched.cid, watched.family_id) in (select * from unnest($1::uuid[], $2::uuid[]))`;

const SAVE_MONITORED_CHILDREN = `update userctx.fence_watch watched
  set states = saved.states, last_time = saved.last_time, next_dwell = saved.next_dwell,
      next_arrival = saved.next_arrival
  from unnest($1::uuid[], $2::uuid[], $3::json[], $4::bigint[], $5::bigint[], $6::bigint[])
    as saved (cid, family_id, states, last_time, next_dwell, next_arrival)
  where watched.cid = saved.cid and watched.family_id = saved.family_id`;

@Injectable()
export class FenceMonitorRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Locks the child until commit, so that its fences are not evaluated meanwhile. Location intake also locks the child.
   */
  async lockChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query(`select pg_advisory_xact_lock(${childLockKeySql('$1')})`, [cid]);
  }

  /** Returns the states of those children that have, or had, fences. */
  find(children: readonly ChildKey[]): Promise<MonitoredChild[]> {
    return this.unitOfWork.prepared.query<MonitoredChild>(FIND_MONITORED_CHILDREN, [
      children.map(({ cid }) => cid),
      children.map(({ familyId }) => familyId),
    ]);
  }

  /**
   * Locks children that are due by `until`, until commit. A child that another transaction is evaluating is skipped and
   * claimed in a later run, so that replicas do not wait for each other. Callers must read the states of the locked
   * children in a later statement, because the locking statement may return rows as they were before the lock.
   */
  lockDue(until: number, limit: number): Promise<ChildKey[]> {
    return this.unitOfWork.prepared.query<ChildKey>(
      `with due as materialized (
         select cid, family_id from userctx.fence_watch where least(next_dwell, next_arrival) <= $1
          order by least(next_dwell, next_arrival) limit $2)
       select cid, family_id as "familyId" from due where pg_try_advisory_xact_lock(${childLockKeySql('cid::text')})`,
      [until, limit],
    );
  }

  async save(children: readonly MonitoredChild[]): Promise<void> {
    if (children.length === 0) return;
    const column = <Value>(value: (child: MonitoredChild) => Value): Value[] => children.map((child) => value(child));
    await this.unitOfWork.prepared.query(SAVE_MONITORED_CHILDREN, [
      column(({ cid }) => cid),
      column(({ familyId }) => familyId),
      column(({ states }) => JSON.stringify(states)),
      column(({ lastTime }) => lastTime),
      column(({ nextDwellAt }) => nextDwellAt),
      column(({ nextArrivalDueAt }) => nextArrivalDueAt),
    ]);
  }

  /** Increments the version. Must be called after the child's fences change. */
  async incrementVersion({ familyId, cid }: ChildKey): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.fence_watch as watched (cid, family_id, version, states) values ($1, $2, 1, '[]')
       on conflict on constraint fence_watch_pk do update set version = watched.version + 1
        where watched.family_id = excluded.family_id`,
      [cid, familyId],
    );
  }

  async erase({ familyId, cid }: ChildKey): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.fence_watch where cid = $1 and family_id = $2', [
      cid,
      familyId,
    ]);
  }
}
