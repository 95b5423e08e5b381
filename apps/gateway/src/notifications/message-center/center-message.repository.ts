import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import {
  CENTER_MESSAGE_TYPES,
  type DeliverySubject,
  type CenterCategory,
  type CenterMessageParams,
  type CenterMessageType,
} from '@family-watch/domain/messages/contracts/message-center';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import {
  CenterMessageEntity,
  CenterRecipientEntity,
  NotifiedFamilyEntity,
} from '@family-watch/domain/messages/entities/center-message.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import type { TimeCursor } from '@family-watch/platform/database/page-cursor';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

const UPSERT_NOTIFIED_FAMILY_IF_NEWER = `
  INSERT INTO gateway.center_family AS existing (family_id, version, members) VALUES ($1, $2, $3)
  ON CONFLICT (family_id) DO UPDATE SET version = excluded.version, members = excluded.members
    WHERE existing.version < excluded.version`;

/** Inserts in the order of the ids, so that transactions cannot deadlock. */
const INSERT_MISSING_RECIPIENTS = `
  INSERT INTO gateway.center_reader (user_id)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.center_reader WHERE user_id = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

/** Reads at most $2 messages of each user. */
export const COUNT_UNREAD = `
  SELECT recipient AS "userId", unread.count::int AS unread
  FROM unnest($1::text[]) AS recipient, LATERAL (
    SELECT count(*) FROM (
      SELECT FROM gateway.center_message AS message WHERE message.user_id = recipient AND NOT message.read LIMIT $2
    ) AS counted
  ) AS unread`;

const insertMessagesSql = (conflict: string): string => `
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

const INSERT_MESSAGES = insertMessagesSql('DO NOTHING');

const UPSERT_MESSAGES_IF_NEWER =
  insertMessagesSql(`ON CONSTRAINT center_message_pkey DO UPDATE SET params = excluded.params, time = excluded.time
      WHERE existing.time <= excluded.time`);

const MARK_READ_THROUGH = `
  UPDATE gateway.center_message AS message SET read = true
  FROM gateway.center_message AS last
  WHERE last.user_id = $1 AND last.message_id = $2::uuid AND message.user_id = $1
    AND (message.time, message.message_id) <= (last.time, last.message_id)
    AND (NOT message.read OR message.message_id = last.message_id)
  RETURNING 1`;

const DELETE_BY_SUBJECTS = `
  DELETE FROM gateway.center_message AS message
  USING unnest($2::text[], $3::text[], $4::text[]) AS obsolete (user_id, cid, audience)
  WHERE message.family_id = $1 AND message.user_id = obsolete.user_id AND message.audience = obsolete.audience
    AND message.cid IS NOT DISTINCT FROM obsolete.cid`;

const PRUNE_MESSAGES = `
  DELETE FROM gateway.center_message WHERE (user_id, message_id) IN (
    SELECT user_id, message_id FROM gateway.center_message WHERE time < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING 1`;

/** A center message before its recipients are resolved. */
export interface CenterMessageDraft extends DeliverySubject {
  /** Id of the event, or key of the request, that causes the message. A user gets one message per source and type. */
  source: string;
  type: CenterMessageType;
  params: CenterMessageParams;
  did: number | null;
  /** Unix milliseconds. */
  time: number;
  /** The recipients; if absent, all members of the family that the audience selects. */
  userIds?: readonly string[];
  /** Key by which an urgent alert can be cancelled, see `UrgentAlertsService.cancel`. */
  alertKey?: string;
  /**
   * Id of the event that creates this version of a message; only set for messages that are updated. A new version
   * replaces the message of the same source and type, and keeps the read state of the message.
   */
  version?: string;
}

/** A center message for one recipient. */
export interface CenterMessageEntry extends Omit<CenterMessageDraft, 'userIds' | 'source'> {
  userId: string;
  messageId: string;
}

/** A recipient, and the delivery subject of some of the recipient's stored messages. */
export interface StoredSubject extends DeliverySubject {
  userId: string;
}

/**
 * Stores center messages, one row per recipient, their recipients with subscriptions, and the family members that were
 * last published. Callers that change a user's messages must hold the lock of `lockRecipients`.
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
    return this.store(UPSERT_MESSAGES_IF_NEWER, entries);
  }

  /** Returns the number of unread messages of each user, at most `limit`. */
  async countUnread(userIds: readonly string[], limit: number): Promise<Map<string, number>> {
    const rows = await this.unitOfWork.executor.query<{ userId: string; unread: number }>(COUNT_UNREAD, [
      [...new Set(userIds)],
      limit,
    ]);
    return new Map(rows.map(({ userId, unread }) => [userId, unread]));
  }

  /** Returns a user's messages after `cursor`, newest first. */
  list(
    userId: string,
    category: CenterCategory | null,
    cursor: TimeCursor | undefined,
    limit: number,
  ): Promise<CenterMessageEntity[]> {
    const query = this.table
      .createQueryBuilder('message')
      .where(category === null ? { userId } : { userId, category })
      .orderBy({ 'message.time': 'DESC', 'message.messageId': 'DESC' })
      .limit(limit);
    if (cursor) query.andWhere('(message.time, message.messageId) < (:time, :id)', cursor);
    return query.getMany();
  }

  /**
   * Marks messages as read; returns the number of these messages that the user has, whether already read or not. `ids`
   * are UUIDs.
   */
  async markRead(userId: string, ids: readonly string[]): Promise<number> {
    const { affected } = await this.table.update({ userId, messageId: Any(ids) }, { read: true });
    return affected ?? 0;
  }

  /**
   * Marks a message and all older ones as read; returns false when the user has no such message. `messageId` is a UUID.
   */
  async markReadThrough(userId: string, messageId: string): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(MARK_READ_THROUGH, [userId, messageId]);
    return rows.length > 0;
  }

  /** Deletes messages of a user; returns the number of deleted messages. `ids` are UUIDs. */
  async delete(userId: string, ids: readonly string[]): Promise<number> {
    const { affected } = await this.table.delete({ userId, messageId: Any(ids) });
    return affected ?? 0;
  }

  /** Returns the distinct recipients and subjects of a family's stored messages. */
  findSubjects(familyId: string): Promise<StoredSubject[]> {
    return this.table
      .createQueryBuilder('message')
      .distinct()
      .select(['message.userId AS "userId"', 'message.familyId AS "familyId"'])
      .addSelect(['message.cid AS cid', 'message.audience AS audience'])
      .where({ familyId })
      .getRawMany<StoredSubject>();
  }

  async deleteBySubjects(familyId: string, subjects: readonly StoredSubject[]): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_BY_SUBJECTS, [
      familyId,
      ...columnsOf(subjects, 'userId', 'cid', 'audience'),
    ]);
  }

  /** Deletes all messages about a child, for all recipients. */
  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.table.delete({ familyId, cid });
  }

  /**
   * Deletes at most `limit` messages older than `before` (Unix milliseconds); returns the number of deleted messages.
   */
  async prune(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(PRUNE_MESSAGES, [before, limit]);
    return rows.length;
  }

  /**
   * Locks these users' center messages until the current transaction ends; returns their subscriptions. Inserts missing
   * rows first, then locks all rows in the order of their ids.
   */
  async lockRecipients(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    const ids = [...new Set(userIds)];
    await this.unitOfWork.executor.query(INSERT_MISSING_RECIPIENTS, [ids]);
    const recipients = await this.recipients.find({
      where: { userId: Any(ids) },
      order: { userId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return toSubscriptionsByUser(recipients);
  }

  /** Returns subscriptions by user id; omits users who never changed their subscription. */
  async findSubscriptions(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return toSubscriptionsByUser(await this.recipients.findBy({ userId: Any(userIds) }));
  }

  /**
   * Stores the user's subscription. Must be called in the transaction that locked the user with {@link lockRecipients}.
   */
  async saveSubscription(userId: string, subscription: Subscription): Promise<void> {
    await this.recipients.update({ userId }, { subscription });
  }

  /** Returns the last published members of a family; locks the row until the current transaction ends. */
  lockNotifiedFamily(familyId: string): Promise<NotifiedFamilyEntity | null> {
    return this.unitOfWork.manager.findOne(NotifiedFamilyEntity, {
      where: { familyId },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Stores the published members, unless a newer version is stored. */
  async saveNotifiedFamily({ familyId, version, members }: NotifiedFamilyEntity): Promise<void> {
    await this.unitOfWork.executor.query(UPSERT_NOTIFIED_FAMILY_IF_NEWER, [familyId, version, members]);
  }

  private async store(statement: string, entries: readonly CenterMessageEntry[]): Promise<CenterMessageEntry[]> {
    if (entries.length === 0) return [];
    const stored = await this.unitOfWork.executor.query<{ ordinal: number }>(statement, [
      ...columnsOf(entries, 'userId', 'messageId'),
      entries.map(({ type }) => CENTER_MESSAGE_TYPES[type].category),
      entries.map(({ type }) => CENTER_MESSAGE_TYPES[type].severity),
      entries.map(({ type }) => type),
      entries.map(({ params }) => JSON.stringify(params)),
      ...columnsOf(entries, 'familyId', 'cid', 'did', 'audience', 'time'),
    ]);
    return stored.map(({ ordinal }) => entries[ordinal - 1] as CenterMessageEntry);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(CenterMessageEntity);
  }

  private get recipients() {
    return this.unitOfWork.manager.getRepository(CenterRecipientEntity);
  }
}

function toSubscriptionsByUser(recipients: readonly CenterRecipientEntity[]): Map<string, Subscription> {
  return new Map(recipients.flatMap(({ userId, subscription }) => (subscription ? [[userId, subscription]] : [])));
}
