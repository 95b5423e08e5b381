import { Injectable } from '@nestjs/common';
import type { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import type { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import type { FenceMonitorEntity } from '@family-watch/domain/fences/entities/fence.entities';
import type { CompiledFence, FenceStates } from '@family-watch/domain/fences/evaluation/fence-state';
import { toFix, TRUSTED_POINT_TYPES } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { childLockKeySql, NON_CREDIBLE_BITS, pointKeyOf } from '../locations/stored-point.js';
import type { PointKey } from '../locations/stored-point.js';
import type { ChildKey } from './fence.repository.js';

/**
 * A stored fence state as a compact tuple: the fence, when it was activated, whether the child is inside, since when,
 * and whether the stay has reached the dwell time. Times in Unix milliseconds.
 */
export type StoredFenceState = [fenceId: string, activeFrom: number, inside: 0 | 1, since: number, dwelled: 0 | 1];

/**
 * Returns the states in the order of the fences. Ignores stored states of fences that were moved, enabled again or
 * deleted since.
 */
export function toFenceStates(fences: readonly CompiledFence[], stored: readonly StoredFenceState[]): FenceStates {
  return fences.map(({ fenceId, activeFrom }) => {
    const found = stored.find(([id, from]) => id === fenceId && from === activeFrom);
    return found ? { inside: found[2] === 1, since: found[3], dwelled: found[4] === 1 } : null;
  });
}

export function toStoredFenceStates(fences: readonly CompiledFence[], states: FenceStates): StoredFenceState[] {
  return fences.flatMap(({ fenceId, activeFrom }, index): StoredFenceState[] => {
    const state = states[index];
    return state ? [[fenceId, activeFrom, state.inside ? 1 : 0, state.since, state.dwelled ? 1 : 0]] : [];
  });
}

/** Evaluation state of a child with fences, its time zone and the watch that acts as the child. */
export type MonitoredChild = Omit<FenceMonitorEntity, 'states'> &
  Pick<ChildEntity, 'timeZone'> &
  Pick<FamilyChildEntity, 'did'> & { states: readonly StoredFenceState[] };

/** `did` and `timeZone` belong to other contexts: they are read with the row and never written. */
const COLUMNS = `watched.cid, watched.family_id as "familyId", watched.version, watched.states,
  watched.last_time as "lastTime", watched.next_dwell as "nextDwellAt", watched.next_arrival as "nextArrivalDueAt",
  child.time_zone as "timeZone", link.did`;

const MONITORED_CHILDREN = `userctx.fence_watch watched
  join userctx.child child on child.cid = watched.cid and child.family_id = watched.family_id
  left join userctx.family_child link on link.cid = watched.cid and link.family_id = watched.family_id`;

/** Prepared and set-based: every batch of location reports reads the states. */
const FIND_MONITORED_CHILDREN = `select ${COLUMNS} from ${MONITORED_CHILDREN}
  where (watched.cid, watched.family_id) in (select * from unnest($1::uuid[], $2::uuid[]))`;

/** Prepared and set-based: every batch of location reports writes the states. */
const SAVE_MONITORED_CHILDREN = `update userctx.fence_watch watched
  set states = saved.states, last_time = saved.last_time, next_dwell = saved.next_dwell,
      next_arrival = saved.next_arrival
  from unnest($1::uuid[], $2::uuid[], $3::json[], $4::bigint[], $5::bigint[], $6::bigint[])
    as saved (cid, family_id, states, last_time, next_dwell, next_arrival)
  where watched.cid = saved.cid and watched.family_id = saved.family_id`;

/**
 * The requested part of a child's track: some fixes before `from`, and at most `maxFixes` fixes from `from` to `to`,
 * the newest ones. Times in Unix milliseconds.
 */
export interface TrackRange extends ChildKey {
  from: number;
  to: number;
  maxFixes: number;
}

/** A stored fix that is credible and of a point type that fences use. */
export interface TrackFix {
  cid: string;
  key: PointKey;
  fix: Fix;
}

interface TrackRow extends Location {
  cid: string;
  did: number;
}

/** Limits of the search for fixes before the range. */
const LOOKBACK_LIMITS = { fixes: 500, milliseconds: 24 * 3_600_000 };

const USABLE_POINT = 'point.cid = requested.cid and flags & $5::smallint = 0 and point_type = any($6::smallint[])';

const POINT_COLUMNS = 'did, position_time, point_type, latitude, longitude, radius';

/** The statement is prepared once per connection, because planning it is expensive with one partition per day. */
const FIND_TRACK = `
  select requested.cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $9::integer[])
              as requested (cid, family_id, since, until, max_fixes)
    join userctx.fence_watch watched on watched.cid = requested.cid and watched.family_id = requested.family_id
   cross join lateral (
     (select ${POINT_COLUMNS} from userctx.location_point point
       where ${USABLE_POINT} and position_time < requested.since and position_time >= requested.since - $7::bigint
       order by position_time desc limit $8)
     union all
     (select ${POINT_COLUMNS} from userctx.location_point point
       where ${USABLE_POINT} and position_time between requested.since and requested.until
       order by position_time desc limit requested.max_fixes)) track`;

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
    return this.unitOfWork.prepared.query<MonitoredChild>(
      FIND_MONITORED_CHILDREN,
      columnsOf(children, 'cid', 'familyId'),
    );
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
    await this.unitOfWork.prepared.query(SAVE_MONITORED_CHILDREN, [
      ...columnsOf(children, 'cid', 'familyId'),
      children.map(({ states }) => JSON.stringify(states)),
      ...columnsOf(children, 'lastTime', 'nextDwellAt', 'nextArrivalDueAt'),
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

  /** Returns the fixes of the ranges in no particular order. */
  async findTracks(ranges: readonly TrackRange[]): Promise<TrackFix[]> {
    const rows = await this.unitOfWork.prepared.query<TrackRow>(FIND_TRACK, [
      ...columnsOf(ranges, 'cid', 'familyId', 'from', 'to'),
      NON_CREDIBLE_BITS,
      TRUSTED_POINT_TYPES,
      LOOKBACK_LIMITS.milliseconds,
      LOOKBACK_LIMITS.fixes,
      ranges.map(({ maxFixes }) => maxFixes),
    ]);
    return rows.map(({ cid, did, ...point }) => ({ cid, key: pointKeyOf({ did, point }), fix: toFix(point) }));
  }
}
