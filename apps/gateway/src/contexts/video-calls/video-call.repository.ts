import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { VideoCall } from './video-call.js';

/** A live call and what its family is now; `null` for a family that is not known. */
export interface CheckedCall {
  call: VideoCall;
  family: FamilySnapshot | null;
}

/** Calls by their ids and by what is due to them. A live call is one that has a `due_at`. */
@Injectable()
export class VideoCallRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Stores the call, unless it is live and one of its parties has a live call already; says whether it was stored.
   * Waits for a call of theirs that is being stored at the same time.
   */
  async insert(call: VideoCall): Promise<boolean> {
    const stored = await this.unitOfWork.executor.query(INSERT, [
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

  /** `callId` is a UUID. */
  async find(callId: string): Promise<VideoCall | undefined> {
    const [call] = await this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE call_id = $1::uuid`,
      [callId],
    );
    return call;
  }

  /** The call, which nobody else changes until the open unit of work ends. */
  async lock(callId: string): Promise<VideoCall | undefined> {
    const [call] = await this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE call_id = $1::uuid FOR UPDATE`,
      [callId],
    );
    return call;
  }

  /** Calls whose time has come, locked; those that another node has locked are left to it. */
  lockDue(now: number, limit: number): Promise<VideoCall[]> {
    return this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE due_at <= $1
       ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, limit],
    );
  }

  /** Live calls of a family, locked in the order of their ids. */
  lockLiveOfFamily(familyId: string): Promise<VideoCall[]> {
    return this.unitOfWork.executor.query<VideoCall>(
      `SELECT ${VIDEO_CALL_COLUMNS} FROM gateway.video_call WHERE family_id = $1 AND due_at IS NOT NULL
       ORDER BY call_id FOR UPDATE`,
      [familyId],
    );
  }

  /** Live calls that no node has looked at since `before`, locked and marked as looked at. */
  async lockUnchecked(before: number, now: number, limit: number): Promise<CheckedCall[]> {
    const rows = await this.unitOfWork.executor.query<VideoCall & { family: FamilySnapshot | null }>(TAKE_UNCHECKED, [
      before,
      now,
      limit,
    ]);
    return rows.map(({ family, ...call }) => ({ call, family }));
  }

  /** Stores what can change of a call, in the unit of work that has locked it. */
  async update(call: VideoCall): Promise<void> {
    const { callId, state, acceptedSession, acceptedAt, endedAt, dueAt, absentSince, revision, signals } = call;
    await this.unitOfWork.executor.query(
      `UPDATE gateway.video_call
       SET state = $2, accepted_session = $3, accepted_at = $4, ended_at = $5, due_at = $6, absent_since = $7,
           revision = $8, signals = $9
       WHERE call_id = $1::uuid`,
      [callId, state, acceptedSession, acceptedAt, endedAt, dueAt, absentSince, revision, signals],
    );
  }
}

export const VIDEO_CALL_COLUMNS = `
  call_id AS "callId", family_id AS "familyId", cid, did, user_id AS "userId", direction,
  caller_session AS "callerSession", accepted_session AS "acceptedSession", provider, state,
  created_at AS "createdAt", accepted_at AS "acceptedAt", ended_at AS "endedAt", due_at AS "dueAt",
  absent_since AS "absentSince", revision, signals`;

const INSERT = `
  INSERT INTO gateway.video_call (
    call_id, family_id, cid, did, user_id, direction, caller_session, provider, state,
    created_at, ended_at, due_at, revision, signals, checked_at
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $10)
  ON CONFLICT DO NOTHING
  RETURNING call_id`;

const TAKE_UNCHECKED = `
  WITH due AS (
    SELECT call_id FROM gateway.video_call WHERE due_at IS NOT NULL AND checked_at <= $1
    ORDER BY checked_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE gateway.video_call AS call SET checked_at = $2
    FROM due WHERE call.call_id = due.call_id
    RETURNING call.*
  )
  SELECT ${VIDEO_CALL_COLUMNS}, (SELECT snapshot FROM gateway.family WHERE family.family_id = taken.family_id) AS family
  FROM taken ORDER BY call_id`;
