import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Any, LessThan, Not } from 'typeorm';
import {
  PushKeyEntity,
  PushRequestEntity,
  PushTokenEntity,
} from '@family-watch/domain/messages/entities/push.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

const LOCK_USER_TOKENS = `SELECT pg_advisory_xact_lock(hashtextextended('push_token ' || $1, 0))`;

const DELETE_ALL_BUT_NEWEST_TOKENS = `
  DELETE FROM gateway.push_token WHERE token_id IN (
    SELECT token_id FROM gateway.push_token WHERE user_id = $1 ORDER BY created_at DESC, token_id OFFSET $2
  )`;

/**
 * A message from the week before a restore, for which outboxes retain events, may have been announced before the
 * restore. Earlier times are those of watches whose clock is not set.
 */
const UPSERT_REQUESTS = `
  INSERT INTO gateway.push_request AS existing (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  SELECT user_id, collapse_key, head, kind, category, urgent, center_message_id, subject::json, due_at, expires_at
  FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::uuid[], $8::text[], $9::bigint[],
    $10::bigint[], $11::bigint[]
  ) AS request (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at, message_time
  )
  WHERE EXISTS (SELECT FROM gateway.push_token AS token WHERE token.user_id = request.user_id)
    AND (category = 'SOS' OR NOT EXISTS (
      SELECT FROM gateway.center_reader AS reader
      WHERE reader.user_id = request.user_id
        AND reader.subscription -> 'categories' -> category ->> 'push' = 'false'
    ))
    AND NOT EXISTS (
      SELECT FROM gateway.epoch WHERE message_time < restored_at AND message_time >= restored_at - 604800000
    )
  ORDER BY user_id, collapse_key
  ON CONFLICT (user_id, collapse_key) DO UPDATE SET
    head = excluded.head, kind = excluded.kind, category = excluded.category, urgent = excluded.urgent,
    center_message_id = excluded.center_message_id, subject = excluded.subject,
    due_at = least(existing.due_at, excluded.due_at), expires_at = excluded.expires_at, attempts = 0, delivered = '{}'
  RETURNING 1`;

/**
 * Deletes requests beyond the $2 newest ones of each of these users. Requests that are not urgent are deleted first.
 */
const DELETE_EXCESS_REQUESTS = `
  DELETE FROM gateway.push_request WHERE (user_id, collapse_key) IN (
    SELECT user_id, collapse_key FROM (
      SELECT user_id, collapse_key, row_number() OVER (PARTITION BY user_id ORDER BY urgent DESC, head DESC) AS place
      FROM gateway.push_request WHERE user_id = ANY($1::text[])
    ) AS ranked WHERE place > $2
  )
  RETURNING 1`;

/**
 * Claims one request per user, of at most $3 users who are not in $4, so that a user with thousands of due requests
 * delays no other. A call is claimed before the user's other requests. Only the $5 requests that have been due longest
 * are compared, so that a claim costs the same in a long queue.
 */
const claimRequestsSql = (urgency: 'urgent' | 'NOT urgent'): string => `
  UPDATE gateway.push_request AS request SET claimed_until = $2, attempts = request.attempts + 1
  FROM (
    SELECT user_id, collapse_key FROM gateway.push_request
    WHERE due_at <= $1 AND claimed_until <= $1 AND (user_id, collapse_key) IN (
      SELECT DISTINCT ON (user_id) user_id, collapse_key FROM (
        SELECT user_id, collapse_key, category, due_at FROM gateway.push_request
        WHERE ${urgency} AND due_at <= $1 AND claimed_until <= $1 AND user_id <> ALL($4::text[])
        ORDER BY due_at LIMIT $5
      ) AS waiting
      ORDER BY user_id, category = 'CALL' DESC, due_at
    )
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE request.user_id = due.user_id AND request.collapse_key = due.collapse_key
  RETURNING request.user_id AS "userId", request.collapse_key AS "collapseKey", head, kind, category, urgent,
    center_message_id AS "centerMessageId", subject, due_at AS "dueAt", expires_at AS "expiresAt",
    claimed_until AS "claimedUntil", attempts, delivered,
    coalesce((
      SELECT max(acknowledged) FROM gateway.session_cursor WHERE principal = 'user:' || request.user_id
    ), 0) AS acknowledged`;

/** A statement per lane, because each lane has an index. */
const CLAIM_REQUESTS = {
  urgent: claimRequestsSql('urgent'),
  other: claimRequestsSql('NOT urgent'),
} as const;

const RESCHEDULE_REQUEST = `
  UPDATE gateway.push_request SET
    claimed_until = 0,
    due_at = CASE WHEN head = $3 THEN $4::bigint ELSE due_at END,
    delivered = CASE WHEN head = $3 THEN $5::uuid[] ELSE delivered END
  WHERE user_id = $1 AND collapse_key = $2 AND claimed_until = $6`;

export interface NewPushRequest extends Omit<PushRequestEntity, 'claimedUntil' | 'attempts' | 'delivered'> {
  /** Time of the message, Unix milliseconds. */
  messageTime: number;
}

/**
 * A claimed request; `attempts` includes the current claim. `claimedUntil` identifies the claim, because each later
 * claim ends later.
 */
export interface ClaimedPushRequest extends PushRequestEntity {
  /** Highest mailbox sequence number that a device of the user has acknowledged. */
  acknowledged: number;
}

export type PushKey = Omit<PushKeyEntity, 'singleton'>;

/** Push token of one session. */
export type PushToken = Omit<PushTokenEntity, 'digest' | 'createdAt'>;

/** Urgent requests (SOS) are claimed and sent apart from all others. */
export type PushLane = keyof typeof CLAIM_REQUESTS;

/** Requests that have been due longest, among which a claim looks for the users of whom it claims one. */
const COMPARED_REQUESTS = 1_000;

/**
 * Stores push tokens, pending notifications (push requests), and the key pair that identifies this service to Web Push
 * services. Times are Unix milliseconds.
 */
@Injectable()
export class PushRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Upserts requests, one per user and collapse key. Must be called in the transaction that has locked the users'
   * mailbox heads. Skips users without a push token, users who have disabled push notifications of the category, and
   * messages from before a restore.
   * @returns the number of stored requests
   */
  async addRequests(requests: readonly NewPushRequest[]): Promise<number> {
    const rows = await this.unitOfWork.executor.query(UPSERT_REQUESTS, [
      ...columnsOf(requests, 'userId', 'collapseKey', 'head', 'kind', 'category', 'urgent', 'centerMessageId'),
      requests.map(({ subject }) => JSON.stringify(subject)),
      ...columnsOf(requests, 'dueAt', 'expiresAt', 'messageTime'),
    ]);
    return rows.length;
  }

  /** Deletes the oldest requests beyond `max` of each user, those that are not urgent first; returns their number. */
  async deleteExcessRequests(userIds: readonly string[], max: number): Promise<number> {
    return (await this.unitOfWork.executor.query(DELETE_EXCESS_REQUESTS, [userIds, max])).length;
  }

  /**
   * Claims due requests of a lane, so that no other node claims them before `until`: at most one of each user, and none
   * of the users in `exceptUserIds`.
   */
  claimRequests(
    lane: PushLane,
    {
      now,
      until,
      limit,
      exceptUserIds,
    }: { now: number; until: number; limit: number; exceptUserIds: readonly string[] },
  ): Promise<ClaimedPushRequest[]> {
    const parameters = [now, until, limit, exceptUserIds, COMPARED_REQUESTS];
    return this.unitOfWork.executor.query<ClaimedPushRequest>(CLAIM_REQUESTS[lane], parameters);
  }

  /**
   * Deletes a completed request. If a newer message was added to the request meanwhile, releases the claim of the
   * request, which is then due again. Does not change a request whose claim has expired and that another node has
   * claimed.
   */
  async completeRequest({ userId, collapseKey, head, claimedUntil }: ClaimedPushRequest): Promise<void> {
    const requests = this.unitOfWork.manager.getRepository(PushRequestEntity);
    const { affected } = await requests.delete({ userId, collapseKey, head, claimedUntil });
    if (affected === 0) await requests.update({ userId, collapseKey, claimedUntil }, { claimedUntil: 0 });
  }

  /**
   * Releases the claim for a retry at `dueAt` and stores the tokens in `delivered`, which the retry skips. If a newer
   * message was added to the request meanwhile, only releases the claim. Does not change a request whose claim has
   * expired and that another node has claimed.
   */
  async rescheduleRequest(
    { userId, collapseKey, head, delivered, claimedUntil }: ClaimedPushRequest,
    dueAt: number,
  ): Promise<void> {
    const parameters = [userId, collapseKey, head, dueAt, delivered, claimedUntil];
    await this.unitOfWork.executor.query(RESCHEDULE_REQUEST, parameters);
  }

  /** Serializes changes of this user's tokens until the current transaction ends. */
  async lockTokens(userId: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_USER_TOKENS, [userId]);
  }

  /**
   * Stores the token. Replaces the session's earlier token of the same service. Reassigns a token that another user has
   * registered, so that a phone shows no more notifications of its previous user.
   * @param now Unix milliseconds
   */
  async replaceToken(token: PushToken, now: number): Promise<void> {
    const digest = createHash('sha256').update(`${token.service}\n${token.token}`).digest();
    await this.tokens.delete({ sessionId: token.sessionId, service: token.service, digest: Not(digest) });
    await this.tokens.upsert({ ...token, digest, createdAt: now }, ['digest']);
  }

  /** Deletes all tokens of a user except the `newest` most recent tokens. */
  async deleteAllButNewestTokens(userId: string, newest: number): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_ALL_BUT_NEWEST_TOKENS, [userId, newest]);
  }

  findTokens(userId: string): Promise<PushTokenEntity[]> {
    return this.tokens.findBy({ userId });
  }

  /** Deletes a token of the user; returns false when the user has no such token. `tokenId` is a UUID. */
  async deleteToken(userId: string, tokenId: string): Promise<boolean> {
    const { affected } = await this.tokens.delete({ userId, tokenId });
    return affected === 1;
  }

  async deleteTokens(tokenIds: readonly string[]): Promise<void> {
    await this.tokens.delete({ tokenId: Any(tokenIds) });
  }

  async deleteTokensBySession(sessionId: string): Promise<void> {
    await this.tokens.delete({ sessionId });
  }

  /**
   * Deletes tokens registered before `time` (Unix milliseconds); apps that are still used have registered their tokens
   * again since.
   */
  async deleteTokensBefore(time: number): Promise<void> {
    await this.tokens.delete({ createdAt: LessThan(time) });
  }

  /** Returns the VAPID key pair of this service for Web Push. */
  findVapidKey(): Promise<PushKey | null> {
    return this.unitOfWork.manager.findOneBy(PushKeyEntity, { singleton: true });
  }

  /** Inserts the key pair if none is stored. If several nodes insert a key pair concurrently, the first one is kept. */
  async insertVapidKeyIfAbsent({ publicKey, sealedPrivateKey }: PushKey): Promise<void> {
    await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(PushKeyEntity)
      .values({ publicKey, sealedPrivateKey })
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  private get tokens() {
    return this.unitOfWork.manager.getRepository(PushTokenEntity);
  }
}
