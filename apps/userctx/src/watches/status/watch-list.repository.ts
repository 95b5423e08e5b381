import { Injectable } from '@nestjs/common';
import { MAX_EXAMINED_WATCHES, type WatchState } from '@family-watch/domain/operators/contracts/directory';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** The position of a watch in the list, which is ordered by enrolment, newest first. */
export interface WatchPosition {
  /** Unix milliseconds. */
  enrolledAt: number;
  did: number;
}

/** Which watches a list contains; null for all. */
export interface WatchFilter {
  state: WatchState | null;
  model: string | null;
  imeiPrefix: string | null;
  groupId: string | null;
  /** Unix milliseconds. */
  lastContactBefore: number | null;
}

/** The last watch that a request for a page examines, if there is a further one. */
const FIND_LAST_EXAMINED = `
  SELECT enrolled_at AS "enrolledAt", did FROM userctx.watch
   WHERE $1::bigint IS NULL OR (enrolled_at, did) < ($1, $2::bigint)
   ORDER BY enrolled_at DESC, did DESC OFFSET ${MAX_EXAMINED_WATCHES} - 1 LIMIT 1`;

const FIND_PAGE = `
  SELECT watch.enrolled_at AS "enrolledAt", watch.did
    FROM userctx.watch watch
    LEFT JOIN userctx.watch_binding binding ON binding.did = watch.did AND binding.unbound_at IS NULL
   WHERE ($1::bigint IS NULL OR (watch.enrolled_at, watch.did) < ($1, $2::bigint))
     AND ($3::bigint IS NULL OR (watch.enrolled_at, watch.did) >= ($3, $4::bigint))
     AND ($5::text IS NULL OR $5 = CASE
       WHEN watch.revoked_at IS NOT NULL THEN 'REVOKED' WHEN binding.did IS NULL THEN 'UNBOUND' ELSE 'BOUND' END)
     AND ($6::text IS NULL OR watch.model = $6)
     AND ($7::text IS NULL OR starts_with(watch.imei, $7))
     AND ($8::uuid IS NULL OR EXISTS (
       SELECT FROM userctx.firmware_group_member member WHERE member.group_id = $8 AND member.did = watch.did))
     AND ($9::bigint IS NULL OR watch.last_contact_at < $9)
   ORDER BY watch.enrolled_at DESC, watch.did DESC LIMIT $10`;

/** Finds watches of all families for operators. */
@Injectable()
export class WatchListRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Returns the position of the last of the {@link MAX_EXAMINED_WATCHES} watches after a position; undefined if there are
   * fewer.
   */
  async findLastExamined(after: WatchPosition | undefined): Promise<WatchPosition | undefined> {
    const [last] = await this.unitOfWork.executor.query<WatchPosition>(FIND_LAST_EXAMINED, [
      after?.enrolledAt ?? null,
      after?.did ?? null,
    ]);
    return last;
  }

  /** Returns at most `limit` watches after a position and up to another one. */
  findPage(
    filter: WatchFilter,
    range: { after: WatchPosition | undefined; until: WatchPosition | undefined },
    limit: number,
  ): Promise<WatchPosition[]> {
    const { state, model, imeiPrefix, groupId, lastContactBefore } = filter;
    const { after, until } = range;
    return this.unitOfWork.executor.query<WatchPosition>(FIND_PAGE, [
      ...[after?.enrolledAt ?? null, after?.did ?? null, until?.enrolledAt ?? null, until?.did ?? null],
      ...[state, model, imeiPrefix, groupId, lastContactBefore],
      limit,
    ]);
  }
}
