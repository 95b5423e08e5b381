import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { VideoCall } from './video-call.js';

/** A live call with the current snapshot of its family, or `null` if no snapshot is stored. */
export interface CallWithFamily {
  call: VideoCall;
  family: FamilySnapshot | null;
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
    const stored = await this.unitOfWork.executor.query(INSERT_CALL, [
      call.callId,
      call.familyId,
      call.cid,
      call.did,
      call.userId,
      call.direction,
      call.callerSession,
      call.provider,
      call.state,
      call.createdAt,
      call.endedAt,
      call.dueAt,
      call.revision,
    ]);
    return stored.length > 0;
  }

  /** Returns the call with this id, which must be a UUID. */
  async find(callId: string): Promise<VideoCall | undefined> {
    const [call] = await this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE call_id = $1::uuid`,
      [callId],
    );
    return call;
  }

  /** Returns the call, locked until the current transaction ends. */
  async lock(callId: string): Promise<VideoCall | undefined> {
    const [call] = await this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE call_id = $1::uuid FOR UPDATE`,
      [callId],
    );
    return call;
  }

  /** Returns and locks due calls. Skips calls that another node has locked. */
  claimDue(now: number, limit: number): Promise<VideoCall[]> {
    return this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE due_at <= $1
       ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, limit],
    );
  }

  /** Returns a family's live calls, locked in the order of their ids. */
  lockLiveOfFamily(familyId: string): Promise<VideoCall[]> {
    return this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE family_id = $1 AND due_at IS NOT NULL
       ORDER BY call_id FOR UPDATE`,
      [familyId],
    );
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
    const { callId, state, acceptedSession, acceptedAt, endedAt, dueAt, absentSince, revision, signalCount } = call;
    await this.unitOfWork.executor.query(
      `UPDATE gateway.video_call
       SET state = $2, accepted_session = $3, accepted_at = $4, ended_at = $5, due_at = $6, absent_since = $7,
           revision = $8, signals = $9
       WHERE call_id = $1::uuid`,
      [callId, state, acceptedSession, acceptedAt, endedAt, dueAt, absentSince, revision, signalCount],
    );
  }
}

export const VIDEO_CALL_COLUMNS = `
  call_id AS "callId", family_id AS "familyId", cid, did, user_id AS "userId", direction,
  caller_session AS "callerSession", accepted_session AS "acceptedSession", provider, state,
  created_at AS "createdAt", accepted_at AS "acceptedAt", ended_at AS "endedAt", due_at AS "dueAt",
  absent_since AS "absentSince", revision, signals AS "signalCount"`;

const INSERT_CALL = `
  INSERT INTO gateway.video_call (
    call_id, family_id, cid, did, user_id, direction, caller_session, provider, state,
    created_at, ended_at, due_at, revision, signals, checked_at
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $10)
  ON CONFLICT DO NOTHING
  RETURNING call_id`;

const CLAIM_UNCHECKED = `
  WITH due AS (
    SELECT call_id FROM gateway.video_call WHERE due_at IS NOT NULL AND checked_at <= $1
    ORDER BY checked_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE gateway.video_call AS call SET checked_at = $2
    FROM due WHERE call.call_id = due.call_id
    RETURNING call.*
  )
  SELECT ${VIDEO_CALL_COLUMNS},
    (SELECT snapshot FROM gateway.family WHERE family.family_id = claimed.family_id) AS family
  FROM claimed ORDER BY call_id`;
