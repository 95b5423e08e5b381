import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { SessionEntity, RefreshTokenEntity } from '@family-watch/domain/accounts/entities/session.entities';
import type { SessionEndReason } from '@family-watch/domain/accounts/entities/session.entities';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** Selects which of a person's sessions to end. */
export type SessionFilter = { onlySessionId: string } | { exceptSessionId: string | null };

/** A refresh token together with the session it belongs to. */
export type RefreshTokenInSession = RefreshTokenEntity & Pick<SessionEntity, 'userId' | 'endedAt' | 'expiresAt'>;

@Injectable()
export class SessionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(session: SessionEntity): Promise<void> {
    await this.unitOfWork.manager.insert(SessionEntity, session);
  }

  /** Returns null unless the session belongs to the person and is active. */
  findActive(userId: string, sessionId: string, now: number): Promise<SessionEntity | null> {
    return this.unitOfWork.manager.findOneBy(SessionEntity, {
      userId,
      sessionId,
      endedAt: IsNull(),
      expiresAt: MoreThan(now),
    });
  }

  /** Returns a person's active sessions after `after`, newest first. */
  async listActive(
    userId: string,
    now: number,
    after: TimeCursor | undefined,
    limit: number,
  ): Promise<SessionEntity[]> {
    const query = this.unitOfWork.manager
      .createQueryBuilder(SessionEntity, 'session')
      .where('session.userId = :userId AND session.endedAt IS NULL AND session.expiresAt > :now', { userId, now })
      .orderBy({ 'session.createdAt': 'DESC', 'session.sessionId': 'DESC' })
      .limit(limit);
    if (after) query.andWhere('(session.createdAt, session.sessionId) < (:time, :id)', { ...after });
    return query.getMany();
  }

  async extend(sessionId: string, lastUsedAt: number, expiresAt: number): Promise<void> {
    await this.unitOfWork.manager.update(SessionEntity, { sessionId }, { lastUsedAt, expiresAt });
  }

  /** Ends the selected active sessions of a person and returns their ids. */
  async end(userId: string, selection: SessionFilter, reason: SessionEndReason, now: number): Promise<string[]> {
    const [condition, sessionId] =
      'onlySessionId' in selection
        ? ['session_id = $4::uuid', selection.onlySessionId]
        : ['session_id IS DISTINCT FROM $4::uuid', selection.exceptSessionId];
    const rows = await this.unitOfWork.executor.query<{ session_id: string }>(
      `UPDATE userctx.session SET ended_at = $2, ended_by = $3
       WHERE user_id = $1 AND ended_at IS NULL AND ${condition} RETURNING session_id`,
      [userId, now, reason, sessionId],
    );
    return rows.map((row) => row.session_id);
  }

  /** Deletes up to `limit` sessions, with their refresh tokens, that ended or expired before `time`. */
  async prune(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM userctx.session WHERE session_id IN (
         SELECT session_id FROM userctx.session WHERE least(ended_at, expires_at) < $1
         LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [time, limit],
    );
    return rows.length;
  }

  async insertToken(token: Pick<RefreshTokenEntity, 'tokenHash' | 'sessionId' | 'issuedAt'>): Promise<void> {
    await this.unitOfWork.manager.insert(RefreshTokenEntity, token);
  }

  /** Locks token and session until commit, so that refreshes with the same token run one after the other. */
  async lockTokenWithSession(tokenHash: Buffer): Promise<RefreshTokenInSession | undefined> {
    const [row] = await this.unitOfWork.executor.query<RefreshTokenInSession>(
      `SELECT token.token_hash AS "tokenHash", token.session_id AS "sessionId", token.issued_at AS "issuedAt",
              token.used_at AS "usedAt", token.sealed_successor AS "sealedSuccessor",
              session.user_id AS "userId", session.ended_at AS "endedAt", session.expires_at AS "expiresAt"
       FROM userctx.refresh_token token JOIN userctx.session USING (session_id)
       WHERE token.token_hash = $1 FOR UPDATE OF token, session`,
      [tokenHash],
    );
    return row;
  }

  async markTokenUsed(tokenHash: Buffer, usedAt: number, sealedSuccessor: Buffer): Promise<void> {
    await this.unitOfWork.manager.update(RefreshTokenEntity, { tokenHash }, { usedAt, sealedSuccessor });
  }

  /** Deletes up to `limit` tokens that were used before `time`. A deleted refresh token is rejected as unknown. */
  async pruneTokens(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM userctx.refresh_token WHERE token_hash IN (
         SELECT token_hash FROM userctx.refresh_token WHERE used_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [time, limit],
    );
    return rows.length;
  }
}
