import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PushService, WebPushKeys } from '@family-watch/domain/messages/contracts/push';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** Push token of one session. */
export interface PushToken {
  tokenId: string;
  userId: string;
  sessionId: string;
  service: PushService;
  token: string;
  keys: WebPushKeys | null;
}

@Injectable()
export class PushTokenRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Serializes changes of this user's tokens until the current transaction ends. */
  async lockUser(userId: string): Promise<void> {
    await this.unitOfWork.executor.query(`SELECT pg_advisory_xact_lock(hashtextextended('push_token ' || $1, 0))`, [
      userId,
    ]);
  }

  /**
   * Stores the token. Replaces the session's earlier token of the same service. Reassigns a token that another user has
   * registered, so that a phone shows no more notifications of its previous user.
   * @param now Unix milliseconds
   */
  async replace(token: PushToken, now: number): Promise<void> {
    const digest = createHash('sha256').update(`${token.service}\n${token.token}`).digest();
    const { tokenId, userId, sessionId, service, keys } = token;
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.push_token WHERE session_id = $1 AND service = $2 AND digest <> $3',
      [sessionId, service, digest],
    );
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.push_token (token_id, user_id, session_id, service, token, digest, keys, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7::json, $8)
       ON CONFLICT (digest) DO UPDATE SET token_id = excluded.token_id, user_id = excluded.user_id,
         session_id = excluded.session_id, keys = excluded.keys, created_at = excluded.created_at`,
      [tokenId, userId, sessionId, service, token.token, digest, keys && JSON.stringify(keys), now],
    );
  }

  /** Deletes all tokens of a user except the `newest` most recent tokens. */
  async deleteAllButNewest(userId: string, newest: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM gateway.push_token WHERE token_id IN (
         SELECT token_id FROM gateway.push_token WHERE user_id = $1 ORDER BY created_at DESC, token_id OFFSET $2
       )`,
      [userId, newest],
    );
  }

  findByUsers(userIds: readonly string[]): Promise<PushToken[]> {
    return this.unitOfWork.executor.query<PushToken>(
      `SELECT token_id AS "tokenId", user_id AS "userId", session_id AS "sessionId", service, token, keys
       FROM gateway.push_token WHERE user_id = ANY($1::text[])`,
      [userIds],
    );
  }

  /** Deletes a token of the user; returns false when the user has no such token. `tokenId` is a UUID. */
  async delete(userId: string, tokenId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      'DELETE FROM gateway.push_token WHERE user_id = $1 AND token_id = $2::uuid RETURNING 1',
      [userId, tokenId],
    );
    return rows.length > 0;
  }

  async deleteInvalid(tokenIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.push_token WHERE token_id = ANY($1::uuid[])', [tokenIds]);
  }

  async deleteBySession(sessionId: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.push_token WHERE session_id = $1', [sessionId]);
  }

  /**
   * Deletes tokens registered before `time` (Unix milliseconds); apps that are still used have registered their tokens
   * again since.
   */
  async prune(time: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.push_token WHERE created_at < $1', [time]);
  }
}
