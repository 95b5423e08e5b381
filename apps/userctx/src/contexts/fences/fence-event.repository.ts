import { Injectable } from '@nestjs/common';
import type { FenceEventType } from '@family-watch/domain/fences/contracts/fence';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { ChildKey } from './fence.repository.js';

/** Something that a fence told. Times in Unix milliseconds. */
export interface RecordedEvent extends ChildKey {
  fenceEventId: string;
  did: number;
  fenceId: string;
  fenceName: string;
  type: FenceEventType;
  time: number;
  late: boolean;
}

export type ListedEvent = Omit<RecordedEvent, keyof ChildKey | 'did'>;

export type PublishedEvent = Pick<RecordedEvent, 'cid' | 'fenceId' | 'type' | 'time'>;

/** Behind which event a page goes on. */
export type FenceEventCursor = Pick<RecordedEvent, 'time' | 'fenceEventId'>;

@Injectable()
export class FenceEventRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Ids of those that were not recorded before. */
  async add(events: readonly RecordedEvent[], recordedAt: number): Promise<Set<string>> {
    const column = <Value>(value: (event: RecordedEvent) => Value): Value[] => events.map((event) => value(event));
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

  /** What was told of each of these children of a time from `since` on. */
  findPublishedSince(children: readonly (ChildKey & { since: number })[]): Promise<PublishedEvent[]> {
    return this.unitOfWork.executor.query<PublishedEvent>(
      `select told.cid, told.fence_id as "fenceId", told.type, told.time
         from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as asked (cid, family_id, since)
         join userctx.fence_event told
           on told.cid = asked.cid and told.family_id = asked.family_id and told.time >= asked.since`,
      [children.map(({ cid }) => cid), children.map(({ familyId }) => familyId), children.map(({ since }) => since)],
    );
  }

  /** The newest first, behind `after`. */
  findPage({ familyId, cid }: ChildKey, after: FenceEventCursor | undefined, limit: number): Promise<ListedEvent[]> {
    return this.unitOfWork.executor.query<ListedEvent>(
      `select fence_event_id as "fenceEventId", fence_id as "fenceId", fence_name as "fenceName", type, time, late
         from userctx.fence_event
        where cid = $1 and family_id = $2 and ($3::bigint is null or (time, fence_event_id) < ($3, $4::uuid))
        order by time desc, fence_event_id desc limit $5`,
      [cid, familyId, after?.time ?? null, after?.fenceEventId ?? null, limit],
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
