import { Injectable } from '@nestjs/common';
import { CENTER_MESSAGE_TYPES } from '@family-watch/domain/messages/contracts/message-center';
import type { DeliverySubject, CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import { CenterMessageEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { Any } from 'typeorm';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { CenterMessageEntry } from './center-message-draft.js';
import {
  DELETE_BY_SUBJECTS,
  INSERT_MESSAGES,
  MARK_READ_THROUGH,
  PRUNE_MESSAGES,
  UPSERT_MESSAGES_IF_NEWER,
} from './message-center.sql.js';

/** Cursor of a user's list, newest first. */
export type CenterMessageCursor = Pick<CenterMessageEntity, 'time' | 'messageId'>;

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
    return this.store(UPSERT_MESSAGES_IF_NEWER, entries);
  }

  async countUnread(userIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.table
      .createQueryBuilder('message')
      .select(['message.userId AS "userId"', 'count(*)::int AS unread'])
      .where({ userId: Any([...new Set(userIds)]) })
      .andWhere('NOT message.read')
      .groupBy('message.userId')
      .getRawMany<{ userId: string; unread: number }>();
    return new Map(rows.map(({ userId, unread }) => [userId, unread]));
  }

  /** Returns a user's messages after `cursor`, newest first. */
  list(
    userId: string,
    category: CenterCategory | null,
    cursor: CenterMessageCursor | null,
    limit: number,
  ): Promise<CenterMessageEntity[]> {
    const query = this.table
      .createQueryBuilder('message')
      .where(category === null ? { userId } : { userId, category })
      .orderBy({ 'message.time': 'DESC', 'message.messageId': 'DESC' })
      .limit(limit);
    if (cursor) query.andWhere('(message.time, message.messageId) < (:time, :messageId)', cursor);
    return query.getMany();
  }

  /**
   * Marks messages as read; returns how many of these messages the user has, whether already read or not. `ids` are
   * UUIDs.
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

  /** Deletes messages of a user; returns how many of them the user had. `ids` are UUIDs. */
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
      subjects.map(({ userId }) => userId),
      subjects.map(({ cid }) => cid),
      subjects.map(({ audience }) => audience),
    ]);
  }

  /** Deletes all messages about a child, for all recipients. */
  async deleteChild(familyId: string, cid: string): Promise<void> {
    await this.table.delete({ familyId, cid });
  }

  /** Deletes at most `limit` messages older than `time` (Unix milliseconds); returns how many. */
  async prune(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(PRUNE_MESSAGES, [time, limit]);
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

  private get table() {
    return this.unitOfWork.manager.getRepository(CenterMessageEntity);
  }
}
