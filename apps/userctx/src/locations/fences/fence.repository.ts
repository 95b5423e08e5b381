import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { ChildEntity } from '@family-watch/domain/families/entities/child.entity';
import type { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import {
  FenceEntity,
  FenceEventEntity,
  FenceMonitorEntity,
} from '@family-watch/domain/locations/entities/fence.entities';
import type { ActiveFence, CompiledFence, FenceStates } from './evaluation/fence-state.js';
import { toFix, TRUSTED_POINT_TYPES } from './evaluation/usable-fixes.js';
import type { Fix } from './geometry/compile-shape.js';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from '../../families/family-roster.service.js';
import { NON_CREDIBLE_BITS, pointKeyOf, type PointKey } from '../stored-point.js';
import { childLockKeySql } from '../child-lock-key.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const LOCK_CHILD = `SELECT pg_advisory_xact_lock(${childLockKeySql('$1')})`;

const FIND_FENCES = `
  SELECT fence_id AS "fenceId", cid, name, shape, notify, dwell, windows, enabled, version, active_from AS "activeFrom"
    FROM userctx.fence WHERE (cid, family_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))
   ORDER BY created_at, fence_id`;

const INSERT_FENCE_EVENTS = `
  INSERT INTO userctx.fence_event
    (fence_event_id, cid, family_id, did, fence_id, fence_name, type, time, late, recorded_at)
  SELECT *, $10::bigint FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[], $6::text[],
                                    $7::text[], $8::bigint[], $9::boolean[])
  ON CONFLICT ON CONSTRAINT fence_event_pkey DO NOTHING RETURNING fence_event_id AS id`;

const FIND_PUBLISHED_EVENTS = `
  SELECT event.cid, event.fence_id AS "fenceId", event.type, event.time
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS requested (cid, family_id, since)
    JOIN userctx.fence_event event
      ON event.cid = requested.cid AND event.family_id = requested.family_id AND event.time >= requested.since`;

/** `time_zone` and `did` are columns of other contexts. This context reads but never writes them. */
const MONITORED_CHILD_COLUMNS = `watched.cid, watched.family_id AS "familyId", watched.version, watched.states,
  watched.last_time AS "lastTime", watched.next_dwell AS "nextDwellAt", watched.next_arrival AS "nextArrivalDueAt",
  child.time_zone AS "timeZone", link.did`;

const MONITORED_CHILDREN = `userctx.fence_watch watched
  JOIN userctx.child child ON child.cid = watched.cid AND child.family_id = watched.family_id
  LEFT JOIN userctx.family_child link ON link.cid = watched.cid AND link.family_id = watched.family_id`;

const FIND_MONITORED_CHILDREN = prepared(`SELECT ${MONITORED_CHILD_COLUMNS} FROM ${MONITORED_CHILDREN}
  WHERE (watched.cid, watched.family_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`);

const SAVE_MONITORED_CHILDREN = prepared(`UPDATE userctx.fence_watch watched
  SET states = saved.states, last_time = saved.last_time, next_dwell = saved.next_dwell,
      next_arrival = saved.next_arrival
  FROM unnest($1::uuid[], $2::uuid[], $3::json[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS saved (cid, family_id, states, last_time, next_dwell, next_arrival)
  WHERE watched.cid = saved.cid AND watched.family_id = saved.family_id`);

/** The condition is the expression that the index of due children contains. */
const FIND_DUE_CHILDREN = prepared(`
  SELECT cid, family_id AS "familyId" FROM userctx.fence_watch
   WHERE least(next_dwell, next_arrival) <= $1 AND ($2::uuid IS NULL OR cid > $2) ORDER BY cid LIMIT $3`);

/** Returns the children whose lock no other transaction has. */
const TRY_LOCK_CHILDREN = prepared(`
  SELECT cid, family_id AS "familyId" FROM unnest($1::uuid[], $2::uuid[]) AS child (cid, family_id)
   WHERE pg_try_advisory_xact_lock(${childLockKeySql('cid::text')})`);

const INCREMENT_FENCES_VERSION = `
  INSERT INTO userctx.fence_watch AS watched (cid, family_id, version, states) VALUES ($1, $2, 1, '[]')
  ON CONFLICT ON CONSTRAINT fence_watch_pkey DO UPDATE SET version = watched.version + 1
   WHERE watched.family_id = excluded.family_id`;

const USABLE_POINT_SQL = 'point.cid = requested.cid AND flags & $5::smallint = 0 AND point_type = ANY($6::smallint[])';

const POINT_COLUMNS = 'did, position_time, point_type, latitude, longitude, radius';

/** Prepared, because planning is expensive with one partition per day. */
const FIND_TRACKS = prepared(`
  SELECT requested.cid, did, position_time AS "positionTime", point_type AS "pointType", latitude, longitude, radius
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $9::integer[])
              AS requested (cid, family_id, since, until, max_fixes)
    JOIN userctx.fence_watch watched ON watched.cid = requested.cid AND watched.family_id = requested.family_id
   CROSS JOIN LATERAL (
     (SELECT ${POINT_COLUMNS} FROM userctx.location_point point
       WHERE ${USABLE_POINT_SQL} AND position_time < requested.since AND position_time >= requested.since - $7::bigint
       ORDER BY position_time DESC LIMIT $8)
     UNION ALL
     (SELECT ${POINT_COLUMNS} FROM userctx.location_point point
       WHERE ${USABLE_POINT_SQL} AND position_time BETWEEN requested.since AND requested.until
       ORDER BY position_time DESC LIMIT requested.max_fixes)) track`);

/** A published fence event. Times in Unix milliseconds. */
export type RecordedFenceEvent = Omit<FenceEventEntity, 'recordedAt'>;

export type ListedFenceEvent = Omit<RecordedFenceEvent, keyof ChildKey | 'did'>;

export type PublishedFenceEvent = Pick<RecordedFenceEvent, 'cid' | 'fenceId' | 'type' | 'time'>;

type FenceRow = Omit<FenceEntity, 'familyId' | 'createdAt'>;

/**
 * The state of a child at one fence as a compact tuple: the fence, when the fence was activated, whether the child is
 * inside, since when, and whether the stay has reached the dwell time. Times in Unix milliseconds.
 */
export type StoredFenceState = [fenceId: string, activeFrom: number, inside: 0 | 1, since: number, dwelled: 0 | 1];

/** Fence states of a child, the child's time zone and the watch that acts for the child. */
export type MonitoredChild = Omit<FenceMonitorEntity, 'states'> &
  Pick<ChildEntity, 'timeZone'> &
  Pick<FamilyChildEntity, 'did'> & { states: readonly StoredFenceState[] };

/**
 * The requested part of a child's track: the fixes shortly before `from` (see {@link LOOKBACK_LIMITS}), and the newest
 * `maxFixes` fixes from `from` to `to`. Times in Unix milliseconds.
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

/** Maximum number and maximum age of the fixes that are read from before the start of a {@link TrackRange}. */
const LOOKBACK_LIMITS = { fixes: 500, milliseconds: 24 * 3_600_000 };

/** Stores the fences of children, the states of the fences, and the events that the fences triggered. */
@Injectable()
export class FenceRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the fences of a child, oldest first. */
  findByChild(child: ChildKey): Promise<ActiveFence[]> {
    return this.findByChildren([child]);
  }

  /** Returns the fences of several children, each child's oldest first. */
  async findByChildren(children: readonly ChildKey[]): Promise<ActiveFence[]> {
    const rows = await this.unitOfWork.executor.query<FenceRow>(FIND_FENCES, columnsOf(children, 'cid', 'familyId'));
    return rows.map(({ shape, ...fence }) => ({ ...fence, ...shape }));
  }

  async add(familyId: string, { circle, polygon, ...fence }: ActiveFence, createdAt: number): Promise<void> {
    await this.fences.insert({ ...fence, familyId, shape: { circle, polygon }, createdAt });
  }

  async update(familyId: string, { fenceId, cid, circle, polygon, ...changes }: ActiveFence): Promise<void> {
    await this.fences.update({ fenceId, cid, familyId }, { ...changes, shape: { circle, polygon } });
  }

  async remove({ familyId, cid }: ChildKey, fenceId: string): Promise<void> {
    await this.fences.delete({ fenceId, cid, familyId });
  }

  /** Inserts events and returns the ids of the events that were not stored before. */
  async addEvents(events: readonly RecordedFenceEvent[], recordedAt: number): Promise<Set<string>> {
    const columns = ['fenceEventId', 'cid', 'familyId', 'did', 'fenceId', 'fenceName', 'type', 'time', 'late'] as const;
    const added = await this.unitOfWork.executor.query<{ id: string }>(INSERT_FENCE_EVENTS, [
      ...columnsOf(events, ...columns),
      recordedAt,
    ]);
    return new Set(added.map(({ id }) => id));
  }

  /** Returns the published events of each child at or after the child's `since` (Unix milliseconds). */
  findPublishedEvents(children: readonly (ChildKey & { since: number })[]): Promise<PublishedFenceEvent[]> {
    return this.unitOfWork.executor.query<PublishedFenceEvent>(
      FIND_PUBLISHED_EVENTS,
      columnsOf(children, 'cid', 'familyId', 'since'),
    );
  }

  /** Returns a page of the child's events, newest first. */
  findEvents({ familyId, cid }: ChildKey, page: TimePageRequest): Promise<Page<ListedFenceEvent>> {
    const select = ['fenceEventId', 'fenceId', 'fenceName', 'type', 'time', 'late'] as const;
    return findTimePage(this.events, { familyId, cid }, { time: 'time', id: 'fenceEventId', select }, page);
  }

  async deleteEventsBefore(recordedBefore: number): Promise<void> {
    await this.events.delete({ recordedAt: LessThan(recordedBefore) });
  }

  /** Deletes the fences, fence states and fence events of an erased child. */
  async erase({ familyId, cid }: ChildKey): Promise<void> {
    await this.fences.delete({ familyId, cid });
    await this.events.delete({ familyId, cid });
    await this.unitOfWork.manager.delete(FenceMonitorEntity, { familyId, cid });
  }

  /**
   * Locks the child until commit. Location intake takes the same lock, so no fence of the child is evaluated while the
   * lock is held.
   */
  async lockChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_CHILD, [cid]);
  }

  /** Returns the fence states of the children. A child that never had a fence is omitted. */
  findMonitored(children: readonly ChildKey[]): Promise<MonitoredChild[]> {
    return this.unitOfWork.executor.query<MonitoredChild>(
      FIND_MONITORED_CHILDREN,
      columnsOf(children, 'cid', 'familyId'),
    );
  }

  /** Returns at most `limit` children that are due by `until`, in order of their ids after the id of `after`. */
  findDue(until: number, limit: number, after?: ChildKey): Promise<ChildKey[]> {
    return this.unitOfWork.executor.query<ChildKey>(FIND_DUE_CHILDREN, [until, after?.cid ?? null, limit]);
  }

  /**
   * Locks the children until commit and returns them. A child that another transaction is evaluating is omitted, so
   * that replicas do not wait for each other.
   */
  tryLock(children: readonly ChildKey[]): Promise<ChildKey[]> {
    return this.unitOfWork.executor.query<ChildKey>(TRY_LOCK_CHILDREN, columnsOf(children, 'cid', 'familyId'));
  }

  async saveMonitored(children: readonly MonitoredChild[]): Promise<void> {
    if (children.length === 0) return;
    await this.unitOfWork.executor.query(SAVE_MONITORED_CHILDREN, [
      ...columnsOf(children, 'cid', 'familyId'),
      children.map(({ states }) => JSON.stringify(states)),
      ...columnsOf(children, 'lastTime', 'nextDwellAt', 'nextArrivalDueAt'),
    ]);
  }

  /** Increments the version of the child's fences. Must be called after the child's fences change. */
  async incrementVersion({ familyId, cid }: ChildKey): Promise<void> {
    await this.unitOfWork.executor.query(INCREMENT_FENCES_VERSION, [cid, familyId]);
  }

  /** Returns the fixes of the ranges in no particular order. */
  async findTracks(ranges: readonly TrackRange[]): Promise<TrackFix[]> {
    const rows = await this.unitOfWork.executor.query<TrackRow>(FIND_TRACKS, [
      ...columnsOf(ranges, 'cid', 'familyId', 'from', 'to'),
      NON_CREDIBLE_BITS,
      TRUSTED_POINT_TYPES,
      LOOKBACK_LIMITS.milliseconds,
      LOOKBACK_LIMITS.fixes,
      ranges.map(({ maxFixes }) => maxFixes),
    ]);
    return rows.map(({ cid, did, ...point }) => ({ cid, key: pointKeyOf({ did, point }), fix: toFix(point) }));
  }

  private get fences() {
    return this.unitOfWork.manager.getRepository(FenceEntity);
  }

  private get events() {
    return this.unitOfWork.manager.getRepository(FenceEventEntity);
  }
}

/**
 * Converts stored states to states in the order of the fences. Ignores a state stored before its fence was moved,
 * enabled or deleted.
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
