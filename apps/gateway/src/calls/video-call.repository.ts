import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import { lockDue } from '@family-watch/platform/database/entity-queries';
import type { TimeCursor } from '@family-watch/platform/database/page-cursor';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import type { VideoCall } from './video-call.js';

const CLAIM_UNCHECKED = `
  WITH due AS (
    SELECT call_id FROM gateway.video_call WHERE due_at IS NOT NULL AND checked_at <= $1
    ORDER BY checked_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE gateway.video_call AS call SET checked_at = $2
    FROM due WHERE call.call_id = due.call_id
    RETURNING call.*
  )
  SELECT
    call_id AS "callId", family_id AS "familyId", cid, did, user_id AS "userId", direction,
    caller_session AS "callerSession", accepted_session AS "acceptedSession", provider, state,
    created_at AS "createdAt", accepted_at AS "acceptedAt", ended_at AS "endedAt", due_at AS "dueAt",
    absent_since AS "absentSince", revision, signals AS "signalCount",
    (SELECT snapshot FROM gateway.family WHERE family.family_id = claimed.family_id) AS family
  FROM claimed ORDER BY call_id`;

const PRUNE_CALLS = `
  DELETE FROM gateway.video_call WHERE call_id IN (
    SELECT call_id FROM gateway.video_call WHERE created_at < $1 AND due_at IS NULL AND media_end_due_at IS NULL
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING call_id`;

/** Sequence numbers of a mailbox may have gaps, so no other row has to change. */
const DELETE_EXPIRED_SIGNALS = `
  DELETE FROM gateway.mailbox_entry WHERE (principal, seq) IN (
    SELECT principal, seq FROM gateway.mailbox_entry
    WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage')
      AND (payload -> 'signal') IS NOT NULL AND expires_at <= $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING seq`;

/** A live call with the current snapshot of its family, or `null` if no snapshot is stored. */
export interface CallWithFamily {
  call: VideoCall;
  family: FamilySnapshot | null;
}

/** Selects the calls to list. */
export interface CallLogFilter {
  /**
   * Only calls of these children within these families. A call belongs to the family that the child was in when the
   * call started.
   */
  children: readonly { familyId: string; cid: string }[];
  /** Only calls with this user, or calls with any user if `null`. */
  userId: string | null;
}

/** Stores calls. A call is live while its `due_at` is set. */
@Injectable()
export class VideoCallRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Inserts the call, unless the call is live and one of its parties already has a live call. Waits for concurrent
   * transactions that insert a call of one of the parties.
   * @returns whether the call was inserted
   */
  async insert(call: VideoCall): Promise<boolean> {
    const result = await this.table
      .createQueryBuilder()
      .insert()
      .values({ ...call, checkedAt: call.createdAt })
      .orIgnore()
      .returning(['callId'])
      .updateEntity(false)
      .execute();
    return (result.raw as unknown[]).length > 0;
  }

  /** Returns the call with this id, which must be a UUID. */
  find(callId: string): Promise<VideoCall | null> {
    return this.table.findOneBy({ callId });
  }

  /** Returns the call, locked until the current transaction ends. */
  lock(callId: string): Promise<VideoCall | null> {
    return this.table.findOne({ where: { callId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns and locks due calls. Skips calls that another node has locked. */
  claimDue(now: number, limit: number): Promise<VideoCall[]> {
    return lockDue(this.table, 'dueAt', now, limit);
  }

  /** Returns a family's live calls, locked in the order of their ids. */
  lockLiveOfFamily(familyId: string): Promise<VideoCall[]> {
    return this.table.find({
      where: { familyId, dueAt: Not(IsNull()) },
      order: { callId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Returns and locks live calls that no node has checked since `before`, and marks them as checked at `now`. */
  async claimUnchecked(before: number, now: number, limit: number): Promise<CallWithFamily[]> {
    const rows = await this.unitOfWork.executor.query<VideoCall & { family: FamilySnapshot | null }>(CLAIM_UNCHECKED, [
      before,
      now,
      limit,
    ]);
    return rows.map(({ family, ...call }) => ({ call, family }));
  }

  /** Updates the fields of the call that can change. Must be called in the transaction that has locked the call. */
  async update(call: VideoCall): Promise<void> {
    const { callId, state, acceptedSession, acceptedAt, endedAt, dueAt, mediaEndDueAt, absentSince } = call;
    const { revision, signalCount } = call;
    const times = { acceptedAt, endedAt, dueAt, mediaEndDueAt, absentSince };
    await this.table.update({ callId }, { state, acceptedSession, ...times, revision, signalCount });
  }

  /** Returns and locks ended calls whose rooms are due. Skips calls that another node has locked. */
  claimMediaEnds(now: number, limit: number): Promise<VideoCall[]> {
    return lockDue(this.table, 'mediaEndDueAt', now, limit);
  }

  async scheduleMediaEnd(callIds: readonly string[], mediaEndDueAt: number | null): Promise<void> {
    await this.table.update({ callId: In(callIds) }, { mediaEndDueAt });
  }

  async recordMediaFound(callId: string, mediaFoundAt: number): Promise<void> {
    await this.table.update({ callId }, { mediaFoundAt });
  }

  list({ children, userId }: CallLogFilter, after: TimeCursor | undefined, limit: number): Promise<VideoCall[]> {
    const query = this.table
      .createQueryBuilder('call')
      .where('(call.familyId, call.cid) IN (SELECT * FROM unnest(:familyIds::text[], :cids::text[]))', {
        familyIds: children.map(({ familyId }) => familyId),
        cids: children.map(({ cid }) => cid),
      })
      .orderBy({ 'call.createdAt': 'DESC', 'call.callId': 'DESC' })
      .limit(limit);
    if (userId !== null) query.andWhere({ userId });
    if (after) query.andWhere('(call.createdAt, call.callId) < (:time, :id)', after);
    return query.getMany();
  }

  /** Deletes at most `limit` ended calls that started before `before` (Unix milliseconds); returns their number. */
  async prune(before: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(PRUNE_CALLS, [before, limit]);
    return deleted.length;
  }

  /**
   * Deletes at most `limit` call signals that expired before `now` (Unix milliseconds) from mailboxes, because signals
   * contain IP addresses of devices; returns the number of deleted signals.
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
