import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { FenceEntity, FenceEventEntity } from '@family-watch/domain/fences/entities/fence.entities';
import type { ActiveFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Identifies a child in its family. */
export interface ChildKey {
  familyId: string;
  cid: string;
}

/** A published fence event. Times in Unix milliseconds. */
export type RecordedFenceEvent = Omit<FenceEventEntity, 'recordedAt'>;

export type ListedFenceEvent = Omit<RecordedFenceEvent, keyof ChildKey | 'did'>;

export type PublishedFenceEvent = Pick<RecordedFenceEvent, 'cid' | 'fenceId' | 'type' | 'time'>;

type FenceRow = Omit<FenceEntity, 'familyId' | 'createdAt'>;

/** Set-based: the fences of all children of a batch of location reports. */
const FIND_FENCES = `
  select fence_id as "fenceId", cid, name, shape, notify, dwell, windows, enabled, version, active_from as "activeFrom"
    from userctx.fence where (cid, family_id) in (select * from unnest($1::uuid[], $2::uuid[]))
   order by created_at, fence_id`;

/** Set-based: inserts the events of a batch of location reports and returns the ids of the new ones. */
const INSERT_EVENTS = `
  insert into userctx.fence_event
    (fence_event_id, cid, family_id, did, fence_id, fence_name, type, time, late, recorded_at)
  select *, $10::bigint from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[], $6::text[],
                                    $7::text[], $8::bigint[], $9::boolean[])
  on conflict on constraint fence_event_pk do nothing returning fence_event_id as id`;

/** Set-based: the events of any number of children, of each since its own time. */
const FIND_PUBLISHED_EVENTS = `
  select event.cid, event.fence_id as "fenceId", event.type, event.time
    from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as requested (cid, family_id, since)
    join userctx.fence_event event
      on event.cid = requested.cid and event.family_id = requested.family_id and event.time >= requested.since`;

/** Stores the fences of children and the events that they triggered. */
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

  /** Inserts events and returns the ids of those that were not stored before. */
  async addEvents(events: readonly RecordedFenceEvent[], recordedAt: number): Promise<Set<string>> {
    const columns = ['fenceEventId', 'cid', 'familyId', 'did', 'fenceId', 'fenceName', 'type', 'time', 'late'] as const;
    const added = await this.unitOfWork.executor.query<{ id: string }>(INSERT_EVENTS, [
      ...columnsOf(events, ...columns),
      recordedAt,
    ]);
    return new Set(added.map(({ id }) => id));
  }

  /** Returns the published events of each child from the child's `since` on. */
  findPublishedEvents(children: readonly (ChildKey & { since: number })[]): Promise<PublishedFenceEvent[]> {
    return this.unitOfWork.executor.query<PublishedFenceEvent>(
      FIND_PUBLISHED_EVENTS,
      columnsOf(children, 'cid', 'familyId', 'since'),
    );
  }

  /** Returns the events after the cursor, newest first. */
  findEvents({ familyId, cid }: ChildKey, after: TimeCursor | undefined, limit: number): Promise<ListedFenceEvent[]> {
    const query = this.events
      .createQueryBuilder('event')
      .select(['fenceEventId', 'fenceId', 'fenceName', 'type', 'time', 'late'].map((column) => `event.${column}`))
      .where({ familyId, cid })
      .orderBy({ 'event.time': 'DESC', 'event.fenceEventId': 'DESC' })
      .limit(limit);
    if (after) query.andWhere('(event.time, event.fenceEventId) < (:time, :id)', { ...after });
    return query.getMany();
  }

  async deleteEventsBefore(recordedBefore: number): Promise<void> {
    await this.events.delete({ recordedAt: LessThan(recordedBefore) });
  }

  /** Deletes the fences of an erased child and their events. */
  async erase({ familyId, cid }: ChildKey): Promise<void> {
    await this.fences.delete({ familyId, cid });
    await this.events.delete({ familyId, cid });
  }

  private get fences() {
    return this.unitOfWork.manager.getRepository(FenceEntity);
  }

  private get events() {
    return this.unitOfWork.manager.getRepository(FenceEventEntity);
  }
}
