import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { VideoCall } from './video-call.js';
import { VIDEO_CALL_COLUMNS } from './video-call.repository.js';

/** Selects the calls to list. */
export interface CallLogFilter {
  /**
   * Only calls of these children within these families. The calls of a child that has changed families belong to its
   * former family.
   */
  children: readonly { familyId: string; cid: string }[];
  /** Only calls with this user, or calls with any user if `null`. */
  userId: string | null;
}

/** Cursor of the log, which is sorted by time and then by id. */
export interface CallLogCursor {
  createdAt: number;
  callId: string;
}

/** Lists past calls, newest first, and deletes them by age or when their child is erased. */
@Injectable()
export class CallLogRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  list({ children, userId }: CallLogFilter, after: CallLogCursor | null, limit: number): Promise<VideoCall[]> {
    return this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call
       WHERE (family_id, cid) IN (SELECT * FROM unnest($1::text[], $2::text[]))
         AND ($3::text IS NULL OR user_id = $3::text)
         AND ($4::bigint IS NULL OR (created_at, call_id) < ($4::bigint, $5::uuid))
       ORDER BY created_at DESC, call_id DESC
       LIMIT $6`,
      [
        children.map(({ familyId }) => familyId),
        children.map(({ cid }) => cid),
        userId,
        after?.createdAt ?? null,
        after?.callId ?? null,
        limit,
      ],
    );
  }

  /** Deletes at most `limit` ended calls that started before `before` (Unix milliseconds); returns how many. */
  async prune(before: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(
      `DELETE FROM gateway.video_call WHERE call_id IN (
         SELECT call_id FROM gateway.video_call WHERE created_at < $1 AND due_at IS NULL
         LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING call_id`,
      [before, limit],
    );
    return deleted.length;
  }

  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.video_call WHERE family_id = $1 AND cid = $2', [
      familyId,
      cid,
    ]);
  }
}
