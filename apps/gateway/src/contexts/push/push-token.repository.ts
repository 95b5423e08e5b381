import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PushService, WebPushKeys } from '@family-watch/domain/messages/contracts/push';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** Where notifications for one sign-in go. */
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

  /** Tokens of this person come and go one after the other until the open unit ends. */
  async lockUser(userId: string): Promise<void> {
    await this.unitOfWork.executor.query(`SELECT pg_advisory_xact_lock(hashtextextended('push_token ' || $1, 0))`, [
      userId,
    ]);
  }

  /**
   * Takes the place of the session's earlier token of the service, and of whoever had the same token: a phone that
   * changes hands no longer notifies its last owner.
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

  /** Keeps the newest tokens of a person. */
  async deleteAllBut(userId: string, newest: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM gateway.push_token WHERE token_id IN (
         SELECT token_id FROM gateway.push_token WHERE user_id = $1 ORDER BY created_at DESC, token_id OFFSET $2
       )`,
      [userId, newest],
    );
  }

  /** Tokens of these people. */
  findByUsers(userIds: readonly string[]): Promise<PushToken[]> {
    return this.unitOfWork.executor.query<PushToken>(
      `SELECT token_id AS "tokenId", user_id AS "userId", session_id AS "sessionId", service, token, keys
       FROM gateway.push_token WHERE user_id = ANY($1::text[])`,
      [userIds],
    );
  }

  /** False when it is not this person's. `tokenId` is a UUID. */
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

  /** Deletes tokens of before `time`, Unix milliseconds: an app that is used registers anew. */
  async prune(time: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.push_token WHERE created_at < $1', [time]);
  }
}
