import { Injectable } from '@nestjs/common';
import type { ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatMessageEntity,
  ConversationMemberEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { violatedUniqueConstraint } from '@family-watch/platform/database/database-errors';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { memberPrincipal } from '../membership/conversation-plan.js';
import type { ConversationMembers, ActiveMember, ChatMessageRow } from './conversation-members.js';

/** A conversation locked by the current transaction. */
export interface LockedConversation {
  conversationId: string;
  /** Sequence number of the newest message. */
  head: number;
  /** Incremented whenever the members of the conversation change. */
  revision: number;
}

/** A message that its sender may recall. */
export interface RecallableMessage extends Pick<ChatMessageEntity, 'conversationId' | 'kind' | 'time'> {
  /** The family of the sender. */
  familyId: string;
  recalled: boolean;
}

interface MemberRow {
  conversation_id: string;
  type: ConversationType;
  revision: number;
  member: MemberKey;
  family_id: string;
  cid: string | null;
  did: number | null;
}

/** Stores and reads chat messages in batches. */
@Injectable()
export class ChatMessageRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Locks the conversations in the order of their ids and returns them; unknown conversations are omitted. */
  lock(conversationIds: readonly string[]): Promise<LockedConversation[]> {
    return this.unitOfWork.executor.query<LockedConversation>(
      `SELECT conversation_id AS "conversationId", head, revision
       FROM gateway.conversation WHERE conversation_id = ANY($1::uuid[])
       ORDER BY conversation_id FOR NO KEY UPDATE`,
      [conversationIds],
    );
  }

  /** Returns the active members of these conversations. */
  async findMembers(conversationIds: readonly string[]): Promise<Map<string, ConversationMembers>> {
    const rows = await this.unitOfWork.executor.query<MemberRow>(
      `SELECT conversation_id, type, revision, member, family_id, cid, did
       FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
       WHERE conversation_id = ANY($1::uuid[]) AND active`,
      [conversationIds],
    );
    const found = new Map<string, ConversationMembers & { activeMembers: ActiveMember[] }>();
    for (const row of rows) {
      const audience = row.type === 'FAMILY' ? 'FAMILY_GROUP' : 'CHAT';
      const members = found.get(row.conversation_id) ?? { revision: row.revision, audience, activeMembers: [] };
      members.activeMembers.push(toActiveMember(row));
      found.set(row.conversation_id, members);
    }
    return found;
  }

  /** Returns the sequence numbers of these messages, by message id; messages that are not stored are omitted. */
  async findStoredSeqs(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.unitOfWork.prepared.query<{ id: string; conversation_seq: number }>(
      'SELECT id, conversation_seq FROM gateway.chat_message WHERE id = ANY($1::uuid[])',
      [uuidArray(ids)],
    );
    return new Map(rows.map((row) => [row.id, row.conversation_seq]));
  }

  /** Deletes at most `limit` messages older than `before` (Unix milliseconds); returns their number. */
  prune(before: number, limit: number): Promise<number> {
    return this.deleteSelected('SELECT id FROM gateway.chat_message WHERE time < $1 LIMIT $2', before, limit);
  }

  /** Deletes old voice messages like {@link prune}. */
  pruneVoice(before: number, limit: number): Promise<number> {
    const voice = `SELECT id FROM gateway.chat_message WHERE time < $1 AND kind = 'ChatVoiceMessage' LIMIT $2`;
    return this.deleteSelected(voice, before, limit);
  }

  /** Stores messages of locked conversations and advances the conversations' heads to their newest messages. */
  async store(messages: readonly ChatMessageRow[]): Promise<void> {
    await this.unitOfWork.prepared.query(STORE_MESSAGES, [
      uuidArray(messages.map(({ conversationId }) => conversationId)),
      bigintArray(messages.map(({ conversationSeq }) => conversationSeq)),
      uuidArray(messages.map(({ id }) => id)),
      textArray(messages.map(({ member }) => member)),
      textArray(messages.map(({ from }) => from.type)),
      textArray(messages.map(({ from }) => from.id)),
      textArray(messages.map(({ kind }) => kind)),
      bigintArray(messages.map(({ time }) => time)),
      jsonArray(messages.map(({ payload }) => JSON.stringify(payload))),
    ]);
  }

  /** Returns a message that this member sent, if the member is still active in the conversation. */
  findRecallable(id: string, sender: MemberKey): Promise<RecallableMessage | undefined> {
    return this.table
      .createQueryBuilder('message')
      .innerJoin(
        ConversationMemberEntity,
        'sender',
        'sender.conversationId = message.conversationId AND sender.member = message.member AND sender.active',
      )
      .select(['message.conversationId AS "conversationId"', 'message.kind AS kind', 'message.time AS time'])
      .addSelect(['sender.familyId AS "familyId"', 'message.recalledAt IS NOT NULL AS recalled'])
      .where({ id, member: sender })
      .getRawOne<RecallableMessage>();
  }

  /** Marks a message as recalled and deletes its payload; the row remains. */
  async markRecalled(id: string, now: number): Promise<void> {
    await this.table.update({ id }, { recalledAt: now, payload: {} });
  }

  private async deleteSelected(selectSql: string, before: number, limit: number): Promise<number> {
    const sql = `DELETE FROM gateway.chat_message WHERE id IN (${selectSql}) RETURNING 1`;
    return (await this.unitOfWork.executor.query(sql, [before, limit])).length;
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChatMessageEntity);
  }
}

/** Returns whether storing failed because one of the messages is already stored. */
export function isDuplicateMessageError(error: unknown): boolean {
  return violatedUniqueConstraint(error) === 'uq_chat_message_id';
}

function toActiveMember({ member, family_id: familyId, cid, did }: MemberRow): ActiveMember {
  return { member, principal: memberPrincipal({ member, cid, did }), familyId, cid, did };
}

const STORE_MESSAGES = `
  WITH incoming AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::json[]
    ) AS incoming (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
  ), stored AS (
    INSERT INTO gateway.chat_message (
      conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload
    )
    SELECT conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload FROM incoming
  )
  UPDATE gateway.conversation AS conversation SET head = newest.head
  FROM (SELECT conversation_id, max(conversation_seq) AS head FROM incoming GROUP BY conversation_id) AS newest
  WHERE conversation.conversation_id = newest.conversation_id`;
