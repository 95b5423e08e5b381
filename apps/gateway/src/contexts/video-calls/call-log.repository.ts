import { Injectable } from '@nestjs/common';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { VideoCall } from './video-call.js';
import { DELETE_EXPIRED_SIGNALS, PRUNE_CALLS } from './video-call.sql.js';

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

/** Lists past calls, newest first, and deletes calls and their signals by age, or when the child is erased. */
@Injectable()
export class CallLogRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  list({ children, userId }: CallLogFilter, after: CallLogCursor | null, limit: number): Promise<VideoCall[]> {
    const query = this.table
      .createQueryBuilder('call')
      .where('(call.familyId, call.cid) IN (SELECT * FROM unnest(:familyIds::text[], :cids::text[]))', {
        familyIds: children.map(({ familyId }) => familyId),
        cids: children.map(({ cid }) => cid),
      })
      .orderBy({ 'call.createdAt': 'DESC', 'call.callId': 'DESC' })
      .limit(limit);
    if (userId !== null) query.andWhere({ userId });
    if (after) query.andWhere('(call.createdAt, call.callId) < (:createdAt, :callId)', after);
    return query.getMany();
  }

  /** Deletes at most `limit` ended calls that started before `before` (Unix milliseconds); returns how many. */
  async prune(before: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(PRUNE_CALLS, [before, limit]);
    return deleted.length;
  }

  /**
   * Deletes at most `limit` call signals that expired before `now` (Unix milliseconds) from mailboxes, because signals
   * contain IP addresses of devices; returns how many.
   */
  async deleteExpiredSignals(now: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(DELETE_EXPIRED_SIGNALS, [now, limit]);
    return deleted.length;
  }

  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.table.delete({ familyId, cid });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(VideoCallEntity);
  }
}
