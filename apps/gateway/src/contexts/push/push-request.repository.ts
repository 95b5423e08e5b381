import { Injectable } from '@nestjs/common';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/delivery-subject';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { SubscriptionCategory } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** A notification to send to a user, unless one of the user's devices acknowledges the message first. */
export interface NewPushRequest {
  userId: string;
  collapseKey: string;
  /** Sequence number of the newest message that the notification announces. */
  head: number;
  kind: MessageKind;
  category: SubscriptionCategory;
  urgent: boolean;
  centerMessageId: string | null;
  subject: DeliverySubject;
  /** Unix milliseconds. */
  dueAt: number;
  expiresAt: number;
}

export interface ClaimedPushRequest extends NewPushRequest {
  /** How often the request has been claimed, including the current claim. */
  attempts: number;
  /** Ids of the push tokens to which the notification has been delivered. */
  delivered: string[];
  /** Highest mailbox sequence number that a device of the user has acknowledged. */
  acknowledged: number;
}

/** Stores pending notifications. Times are Unix milliseconds. */
@Injectable()
export class PushRequestRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Upserts requests, one per user and collapse key. Must be called in the transaction that has locked the users'
   * mailbox heads. Skips users without a push token, and those who have disabled pushes of the category.
   * @returns how many were stored
   */
  async add(requests: readonly NewPushRequest[]): Promise<number> {
    const rows = await this.unitOfWork.executor.query(UPSERT_REQUESTS, [
      requests.map(({ userId }) => userId),
      requests.map(({ collapseKey }) => collapseKey),
      requests.map(({ head }) => head),
      requests.map(({ kind }) => kind),
      requests.map(({ category }) => category),
      requests.map(({ urgent }) => urgent),
      requests.map(({ centerMessageId }) => centerMessageId),
      requests.map(({ subject }) => JSON.stringify(subject)),
      requests.map(({ dueAt }) => dueAt),
      requests.map(({ expiresAt }) => expiresAt),
    ]);
    return rows.length;
  }

  /** Claims due requests, so that no other node claims them before `until`. */
  claim(now: number, until: number, limit: number): Promise<ClaimedPushRequest[]> {
    return this.unitOfWork.executor.query<ClaimedPushRequest>(CLAIM_REQUESTS, [now, until, limit]);
  }

  /**
   * Deletes completed requests. If a newer message was added to a request meanwhile, releases the claim of the request,
   * which is then due again.
   */
  async complete(requests: readonly ClaimedPushRequest[]): Promise<void> {
    const parameters = [
      requests.map(({ userId }) => userId),
      requests.map(({ collapseKey }) => collapseKey),
      requests.map(({ head }) => head),
    ];
    await this.unitOfWork.executor.query(
      `DELETE FROM gateway.push_request AS request USING ${COMPLETED_KEYS}
       WHERE request.user_id = completed.user_id AND request.collapse_key = completed.collapse_key
         AND request.head = completed.head`,
      parameters,
    );
    await this.unitOfWork.executor.query(
      `UPDATE gateway.push_request AS request SET claimed_until = 0 FROM ${COMPLETED_KEYS}
       WHERE request.user_id = completed.user_id AND request.collapse_key = completed.collapse_key
         AND request.head <> completed.head`,
      parameters,
    );
  }

  /**
   * Releases the claim for a retry at `dueAt` and stores the tokens in `delivered`, which the retry skips. If a newer
   * message was added to the request meanwhile, only releases the claim.
   */
  async reschedule({ userId, collapseKey, head, delivered }: ClaimedPushRequest, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.push_request SET
         claimed_until = 0,
         due_at = CASE WHEN head = $3 THEN $4::bigint ELSE due_at END,
         delivered = CASE WHEN head = $3 THEN $5::uuid[] ELSE delivered END
       WHERE user_id = $1 AND collapse_key = $2`,
      [userId, collapseKey, head, dueAt, delivered],
    );
  }
}

const COMPLETED_KEYS = 'unnest($1::text[], $2::text[], $3::bigint[]) AS completed (user_id, collapse_key, head)';

const UPSERT_REQUESTS = `
  INSERT INTO gateway.push_request AS existing (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  SELECT user_id, collapse_key, head, kind, category, urgent, center_message_id, subject::json, due_at, expires_at
  FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::uuid[], $8::text[], $9::bigint[],
    $10::bigint[]
  ) AS request (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  WHERE EXISTS (SELECT FROM gateway.push_token AS token WHERE token.user_id = request.user_id)
    AND (category = 'SOS' OR NOT EXISTS (
      SELECT FROM gateway.center_reader AS reader
      WHERE reader.user_id = request.user_id
        AND reader.subscription -> 'categories' -> category ->> 'push' = 'false'
    ))
  ORDER BY user_id, collapse_key
  ON CONFLICT (user_id, collapse_key) DO UPDATE SET
    head = excluded.head, kind = excluded.kind, category = excluded.category, urgent = excluded.urgent,
    center_message_id = excluded.center_message_id, subject = excluded.subject,
    due_at = least(existing.due_at, excluded.due_at), expires_at = excluded.expires_at, attempts = 0, delivered = '{}'
  RETURNING 1`;

const CLAIM_REQUESTS = `
  UPDATE gateway.push_request AS request SET claimed_until = $2, attempts = request.attempts + 1
  FROM (
    SELECT user_id, collapse_key FROM gateway.push_request
    WHERE due_at <= $1 AND claimed_until <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE request.user_id = due.user_id AND request.collapse_key = due.collapse_key
  RETURNING request.user_id AS "userId", request.collapse_key AS "collapseKey", head, kind, category, urgent,
    center_message_id AS "centerMessageId", subject, due_at AS "dueAt", expires_at AS "expiresAt", attempts, delivered,
    coalesce((
      SELECT max(acknowledged) FROM gateway.session_cursor WHERE principal = 'user:' || request.user_id
    ), 0) AS acknowledged`;
