import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import {
  SessionEntity,
  RefreshTokenEntity,
  type SessionEndReason,
} from '@family-watch/domain/accounts/entities/session.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

const LOCK_TOKEN_WITH_SESSION = `
  SELECT token.token_hash AS "tokenHash", token.session_id AS "sessionId", token.issued_at AS "issuedAt",
         token.used_at AS "usedAt", token.sealed_successor AS "sealedSuccessor",
         session.user_id AS "userId", session.ended_at AS "endedAt", session.expires_at AS "expiresAt"
    FROM userctx.refresh_token token JOIN userctx.session USING (session_id)
   WHERE token.token_hash = $1 FOR UPDATE OF token, session`;

const PRUNE_SESSIONS = `
  DELETE FROM userctx.session WHERE session_id IN (
    SELECT session_id FROM userctx.session WHERE least(ended_at, expires_at) < $1
     LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

const PRUNE_REFRESH_TOKENS = `
  DELETE FROM userctx.refresh_token WHERE token_hash IN (
    SELECT token_hash FROM userctx.refresh_token WHERE used_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** Selects which of a person's sessions to end. */
export type SessionFilter =
  | { onlySessionId: string; exceptSessionId?: never }
  | { exceptSessionId: string | null; onlySessionId?: never };

/** A refresh token together with the session it belongs to. */
export type RefreshTokenInSession = RefreshTokenEntity & Pick<SessionEntity, 'userId' | 'endedAt' | 'expiresAt'>;

@Injectable()
export class SessionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(session: SessionEntity): Promise<void> {
    await this.sessions.insert(session);
  }

  /** Returns null when the session is not an active session of the person. */
  findActive(userId: string, sessionId: string, now: number): Promise<SessionEntity | null> {
    return this.sessions.findOneBy({
      userId,
      sessionId,
      endedAt: IsNull(),
      expiresAt: MoreThan(now),
    });
  }

  /** Returns a page of a person's active sessions, newest first. */
  findActivePage(userId: string, now: number, page: TimePageRequest): Promise<Page<SessionEntity>> {
    const active = { userId, endedAt: IsNull(), expiresAt: MoreThan(now) };
    return findTimePage(this.sessions, active, { time: 'createdAt', id: 'sessionId' }, page);
  }

  /** Returns the numbers of active sessions by person; persons without one are omitted. */
  async countActive(userIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    const counts = await this.sessions
      .createQueryBuilder('session')
      .select('session.userId', 'userId')
      .addSelect('count(*)::int', 'count')
      .where({ userId: In(userIds), endedAt: IsNull(), expiresAt: MoreThan(now) })
      .groupBy('session.userId')
      .getRawMany<{ userId: string; count: number }>();
    return new Map(counts.map(({ userId, count }) => [userId, count]));
  }

  async extend(sessionId: string, lastUsedAt: number, expiresAt: number): Promise<void> {
    await this.sessions.update({ sessionId }, { lastUsedAt, expiresAt });
  }

  /** Ends the selected active sessions of a person and returns their ids. */
  async end(userId: string, selection: SessionFilter, reason: SessionEndReason, now: number): Promise<string[]> {
    const { onlySessionId, exceptSessionId = null } = selection;
    const sessionId = onlySessionId ?? (exceptSessionId === null ? undefined : Not(exceptSessionId));
    const result = await this.sessions
      .createQueryBuilder()
      .update()
      .set({ endedAt: now, endedBy: reason })
      .where({ userId, endedAt: IsNull(), ...(sessionId === undefined ? {} : { sessionId }) })
      .returning('session_id')
      .execute();
    return (result.raw as { session_id: string }[]).map((row) => row.session_id);
  }

  /** Deletes up to `limit` sessions, with their refresh tokens, that ended or expired before `time`. */
  async prune(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(PRUNE_SESSIONS, [time, limit]);
    return rows.length;
  }

  async insertToken(token: Pick<RefreshTokenEntity, 'tokenHash' | 'sessionId' | 'issuedAt'>): Promise<void> {
    await this.tokens.insert(token);
  }

  findToken(tokenHash: Buffer): Promise<RefreshTokenEntity | null> {
    return this.tokens.findOneBy({ tokenHash });
  }

  /** Returns the person for whose session the token was issued, without a lock; undefined for an unknown token. */
  async findUserOfToken(tokenHash: Buffer): Promise<string | undefined> {
    const session = await this.sessions
      .createQueryBuilder('session')
      .innerJoin(RefreshTokenEntity, 'token', 'token.sessionId = session.sessionId')
      .where('token.tokenHash = :tokenHash', { tokenHash })
      .getOne();
    return session?.userId;
  }

  /** Locks token and session until commit, so that refreshes with the same token run one after the other. */
  async lockTokenWithSession(tokenHash: Buffer): Promise<RefreshTokenInSession | undefined> {
    const [row] = await this.unitOfWork.executor.query<RefreshTokenInSession>(LOCK_TOKEN_WITH_SESSION, [tokenHash]);
    return row;
  }

  async markTokenUsed(tokenHash: Buffer, usedAt: number, sealedSuccessor: Buffer): Promise<void> {
    await this.tokens.update({ tokenHash }, { usedAt, sealedSuccessor });
  }

  /** Deletes up to `limit` tokens that were used before `time`. A deleted refresh token is rejected as unknown. */
  async pruneTokens(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(PRUNE_REFRESH_TOKENS, [time, limit]);
    return rows.length;
  }

  private get sessions() {
    return this.unitOfWork.manager.getRepository(SessionEntity);
  }

  private get tokens() {
    return this.unitOfWork.manager.getRepository(RefreshTokenEntity);
  }
}
