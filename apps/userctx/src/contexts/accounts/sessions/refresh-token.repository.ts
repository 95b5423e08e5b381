import { Injectable } from '@nestjs/common';
import { RefreshTokenEntity } from '@family-watch/domain/accounts/entities/session.entities';
import type { SessionEntity } from '@family-watch/domain/accounts/entities/session.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** A refresh token together with the session it belongs to. */
export type RefreshTokenInSession = RefreshTokenEntity & Pick<SessionEntity, 'userId' | 'endedAt' | 'expiresAt'>;

@Injectable()
export class RefreshTokenRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(token: Pick<RefreshTokenEntity, 'tokenHash' | 'sessionId' | 'issuedAt'>): Promise<void> {
    await this.unitOfWork.manager.insert(RefreshTokenEntity, token);
  }

  /** Locks token and session until commit, so that refreshes with the same token run one after the other. */
  async lockWithSession(tokenHash: Buffer): Promise<RefreshTokenInSession | undefined> {
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

  async markUsed(tokenHash: Buffer, usedAt: number, sealedSuccessor: Buffer): Promise<void> {
    await this.unitOfWork.manager.update(RefreshTokenEntity, { tokenHash }, { usedAt, sealedSuccessor });
  }

  /** Deletes up to `limit` tokens that were used before `time`. A deleted refresh token is rejected as unknown. */
  async prune(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM userctx.refresh_token WHERE token_hash IN (
         SELECT token_hash FROM userctx.refresh_token WHERE used_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [time, limit],
    );
    return rows.length;
  }
}
