import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { ChildEntity } from '@family-watch/domain/children/entities/child.entity';
import type { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { FenceEntity, FenceEventEntity, FenceMonitorEntity } from '@family-watch/domain/fences/entities/fence.entities';
import type { ActiveFence, CompiledFence, FenceStates } from '@family-watch/domain/fences/evaluation/fence-state';
import { toFix, TRUSTED_POINT_TYPES } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from '../families/family-roster.service.js';
import { NON_CREDIBLE_BITS, pointKeyOf } from '../locations/stored-point.js';
import type { PointKey } from '../locations/stored-point.js';
import {
  FIND_DUE_CHILDREN,
  FIND_FENCES,
  FIND_PUBLISHED_EVENTS,
  LOCK_CHILD,
  INSERT_FENCE_EVENTS,
  FIND_MONITORED_CHILDREN,
  FIND_TRACKS,
  INCREMENT_FENCES_VERSION,
  SAVE_MONITORED_CHILDREN,
  TRY_LOCK_CHILDREN,
} from './fences.sql.js';

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
