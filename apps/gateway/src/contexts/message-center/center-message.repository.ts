import { Injectable } from '@nestjs/common';
import type { Audience, DeliverySubject } from '@family-watch/domain/messages/contracts/delivery-subject';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type {
  CenterCategory,
  CenterMessageParams,
  CenterMessageType,
  Severity,
} from '@family-watch/domain/messages/contracts/message-center';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { CenterMessageEntry } from './center-message-draft.js';

/** Cursor of a user's list, newest first. */
export interface CenterMessageCursor {
  time: number;
  messageId: string;
}

/** A center message as stored for one recipient. */
export interface CenterMessageRecord extends CenterMessageCursor {
  category: CenterCategory;
  severity: Severity;
  type: CenterMessageType;
  params: CenterMessageParams;
  familyId: string | null;
  cid: string | null;
  did: number | null;
  audience: Audience;
  read: boolean;
}

/** A recipient, and the delivery subject of some of the recipient's stored messages. */
export interface StoredSubject extends DeliverySubject {
  userId: string;
}

/**
 * Stores center messages, one row per recipient. Callers that change a user's messages must hold the lock of
 * `CenterRecipientRepository.lock`.
 */
@Injectable()
export class CenterMessageRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Inserts the entries that their recipient does not have yet; returns the inserted entries, in the given order. */
  insert(entries: readonly CenterMessageEntry[]): Promise<CenterMessageEntry[]> {
    return this.store(INSERT_MESSAGES, entries);
  }

  /**
   * Inserts the entries, or updates the parameters and time of existing messages, unless the existing message is newer.
   * @param entries at most one per recipient and message id
   * @returns the entries that were stored, in the given order
   */
  upsertIfNewer(entries: readonly CenterMessageEntry[]): Promise<CenterMessageEntry[]> {
    return this.store(UPSERT_IF_NEWER, entries);
  }

  async countUnread(userIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.unitOfWork.executor.query<{ userId: string; unread: number }>(
      `SELECT user_id AS "userId", count(*)::int AS unread FROM gateway.center_message
       WHERE user_id = ANY($1::text[]) AND NOT read GROUP BY user_id`,
      [[...new Set(userIds)]],
    );
    return new Map(rows.map(({ userId, unread }) => [userId, unread]));
  }

  /** Returns a user's messages after `cursor`, newest first. */
  list(
    userId: string,
    category: CenterCategory | null,
    cursor: CenterMessageCursor | null,
    limit: number,
  ): Promise<CenterMessageRecord[]> {
    return this.unitOfWork.executor.query<CenterMessageRecord>(
      `SELECT message_id AS "messageId", category, severity, type, params, family_id AS "familyId", cid, did, audience,
              time, read
       FROM gateway.center_message
       WHERE user_id = $1 AND ($2::text IS NULL OR category = $2)
         AND ($3::bigint IS NULL OR (time, message_id) < ($3, $4::uuid))
       ORDER BY time DESC, message_id DESC LIMIT $5`,
      [userId, category, cursor?.time ?? null, cursor?.messageId ?? null, limit],
    );
  }

  /**
   * Marks messages as read; returns how many of these messages the user has, whether already read or not. `ids` are
   * UUIDs.
   */
  async markRead(userId: string, ids: readonly string[]): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `UPDATE gateway.center_message SET read = true WHERE user_id = $1 AND message_id = ANY($2::uuid[]) RETURNING 1`,
      [userId, ids],
    );
    return rows.length;
  }

  /**
   * Marks a message and all older ones as read; returns false when the user has no such message. `messageId` is a UUID.
   */
  async markReadThrough(userId: string, messageId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `UPDATE gateway.center_message AS message SET read = true
       FROM gateway.center_message AS last
       WHERE last.user_id = $1 AND last.message_id = $2::uuid AND message.user_id = $1
         AND (message.time, message.message_id) <= (last.time, last.message_id)
         AND (NOT message.read OR message.message_id = last.message_id)
       RETURNING 1`,
      [userId, messageId],
    );
    return rows.length > 0;
  }

  /** Deletes messages of a user; returns how many of them the user had. `ids` are UUIDs. */
  async delete(userId: string, ids: readonly string[]): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      'DELETE FROM gateway.center_message WHERE user_id = $1 AND message_id = ANY($2::uuid[]) RETURNING 1',
      [userId, ids],
    );
    return rows.length;
  }

  /** Returns the distinct recipients and subjects of a family's stored messages. */
  findSubjects(familyId: string): Promise<StoredSubject[]> {
    return this.unitOfWork.executor.query<StoredSubject>(
      `SELECT DISTINCT user_id AS "userId", family_id AS "familyId", cid, audience
       FROM gateway.center_message WHERE family_id = $1`,
      [familyId],
    );
  }

  async deleteBySubjects(familyId: string, subjects: readonly StoredSubject[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `DELETE FROM gateway.center_message AS message
       USING unnest($2::text[], $3::text[], $4::text[]) AS obsolete (user_id, cid, audience)
       WHERE message.family_id = $1 AND message.user_id = obsolete.user_id AND message.audience = obsolete.audience
         AND message.cid IS NOT DISTINCT FROM obsolete.cid`,
      [
        familyId,
        subjects.map(({ userId }) => userId),
        subjects.map(({ cid }) => cid),
        subjects.map(({ audience }) => audience),
      ],
    );
  }

  /** Deletes all messages about a child, for all recipients. */
  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.center_message WHERE family_id = $1 AND cid = $2', [
      familyId,
      cid,
    ]);
  }

  /** Deletes at most `limit` messages older than `time` (Unix milliseconds); returns how many. */
  async prune(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(
      `DELETE FROM gateway.center_message WHERE (user_id, message_id) IN (
         SELECT user_id, message_id FROM gateway.center_message WHERE time < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [time, limit],
    );
    return rows.length;
  }

  private async store(statement: string, entries: readonly CenterMessageEntry[]): Promise<CenterMessageEntry[]> {
    if (entries.length === 0) return [];
    const stored = await this.unitOfWork.executor.query<{ ordinal: number }>(statement, [
      entries.map(({ userId }) => userId),
      entries.map(({ messageId }) => messageId),
      entries.map(({ type }) => CENTER_MESSAGE_TYPES[type].category),
      entries.map(({ type }) => CENTER_MESSAGE_TYPES[type].severity),
      entries.map(({ type }) => type),
      entries.map(({ params }) => JSON.stringify(params)),
      entries.map(({ familyId }) => familyId),
      entries.map(({ cid }) => cid),
      entries.map(({ did }) => did),
      entries.map(({ audience }) => audience),
      entries.map(({ time }) => time),
    ]);
    return stored.map(({ ordinal }) => entries[ordinal - 1] as CenterMessageEntry);
  }
}

const insertStatement = (conflict: string): string => `
  WITH entry AS (
    SELECT * FROM unnest(
      $1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
      $10::text[], $11::bigint[]
    ) WITH ORDINALITY AS entry (
      user_id, message_id, category, severity, type, params, family_id, cid, did, audience, time, ordinal
    )
  ), stored AS (
    INSERT INTO gateway.center_message AS existing (
      user_id, message_id, category, severity, type, params, family_id, cid, did, audience, time
    )
    SELECT user_id, message_id, category, severity, type, params::json, family_id, cid, did, audience, time FROM entry
    ON CONFLICT ${conflict}
    RETURNING existing.user_id, existing.message_id
  )
  SELECT min(ordinal)::int AS ordinal FROM entry JOIN stored USING (user_id, message_id)
  GROUP BY user_id, message_id ORDER BY ordinal`;

const INSERT_MESSAGES = insertStatement('DO NOTHING');
const UPSERT_IF_NEWER =
  insertStatement(`ON CONSTRAINT pk_center_message DO UPDATE SET params = excluded.params, time = excluded.time
      WHERE existing.time <= excluded.time`);
