import { Injectable } from '@nestjs/common';
import type { FenceEventType } from '@family-watch/domain/fences/contracts/fence';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey } from './fence.repository.js';

/** A published fence event. Times in Unix milliseconds. */
export interface RecordedFenceEvent extends ChildKey {
  fenceEventId: string;
  did: number;
  fenceId: string;
  fenceName: string;
  type: FenceEventType;
  time: number;
  late: boolean;
}

export type ListedFenceEvent = Omit<RecordedFenceEvent, keyof ChildKey | 'did'>;

export type PublishedFenceEvent = Pick<RecordedFenceEvent, 'cid' | 'fenceId' | 'type' | 'time'>;

@Injectable()
export class FenceEventRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Inserts events and returns the ids of those that were not stored before. */
  async add(events: readonly RecordedFenceEvent[], recordedAt: number): Promise<Set<string>> {
    const column = <Value>(value: (event: RecordedFenceEvent) => Value): Value[] => events.map((event) => value(event));
    const added = await this.unitOfWork.executor.query<{ id: string }>(
      `insert into userctx.fence_event (fence_event_id, cid, family_id, did, fence_id, fence_name, type, time, late,
         recorded_at)
       select *, $10::bigint from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[], $6::text[],
         $7::text[], $8::bigint[], $9::boolean[])
       on conflict on constraint fence_event_pk do nothing returning fence_event_id as id`,
      [
        column(({ fenceEventId }) => fenceEventId),
        column(({ cid }) => cid),
        column(({ familyId }) => familyId),
        column(({ did }) => did),
        column(({ fenceId }) => fenceId),
        column(({ fenceName }) => fenceName),
        column(({ type }) => type),
        column(({ time }) => time),
        column(({ late }) => late),
        recordedAt,
      ],
    );
    return new Set(added.map(({ id }) => id));
  }

  /** Returns the published events of each child from the child's `since` on. */
  findPublishedSince(children: readonly (ChildKey & { since: number })[]): Promise<PublishedFenceEvent[]> {
    return this.unitOfWork.executor.query<PublishedFenceEvent>(
      `select event.cid, event.fence_id as "fenceId", event.type, event.time
         from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as requested (cid, family_id, since)
         join userctx.fence_event event
           on event.cid = requested.cid and event.family_id = requested.family_id
             and event.time >= requested.since`,
      [children.map(({ cid }) => cid), children.map(({ familyId }) => familyId), children.map(({ since }) => since)],
    );
  }

  /** Returns the events after the cursor, newest first. */
  findPage({ familyId, cid }: ChildKey, after: TimeCursor | undefined, limit: number): Promise<ListedFenceEvent[]> {
    return this.unitOfWork.executor.query<ListedFenceEvent>(
      `select fence_event_id as "fenceEventId", fence_id as "fenceId", fence_name as "fenceName", type, time, late
         from userctx.fence_event
        where cid = $1 and family_id = $2 and ($3::bigint is null or (time, fence_event_id) < ($3, $4::uuid))
        order by time desc, fence_event_id desc limit $5`,
      [cid, familyId, after?.time ?? null, after?.id ?? null, limit],
    );
  }

  async deleteRecordedBefore(time: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.fence_event where recorded_at < $1', [time]);
  }

  async erase({ familyId, cid }: ChildKey): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.fence_event where cid = $1 and family_id = $2', [
      cid,
      familyId,
    ]);
  }
}
