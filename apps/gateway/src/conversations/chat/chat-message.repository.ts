import { Injectable } from '@nestjs/common';
import type { ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatMessageEntity,
  ConversationMemberEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import { bigintArray, jsonArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { TransactionConflictError, violatedUniqueConstraint } from '@family-watch/platform/errors/database-errors';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { memberPrincipal } from '../membership/conversation-plan.js';
import type { ConversationMembers, ActiveMember, ChatMessageRow } from './conversation-members.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const LOCK_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId", head, revision
  FROM gateway.conversation WHERE conversation_id = ANY($1::uuid[])
  ORDER BY conversation_id FOR NO KEY UPDATE`;

const FIND_ACTIVE_MEMBERS = `
  SELECT conversation_id AS "conversationId", type, revision, member, family_id AS "familyId", cid, did
  FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
  WHERE conversation_id = ANY($1::uuid[]) AND active`;

const FIND_STORED_MESSAGES = prepared(`
  SELECT
    id, conversation_id AS "conversationId", conversation_seq AS "conversationSeq", kind, time,
    recalled_at IS NOT NULL AS recalled, payload
  FROM gateway.chat_message WHERE id = ANY($1::uuid[])`);

/** The group commit of chat messages. */
const STORE_MESSAGES = prepared(`
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
  WHERE conversation.conversation_id = newest.conversation_id`);

const deleteMessagesSql = (condition: string): string => `
  DELETE FROM gateway.chat_message WHERE id IN (
    SELECT id FROM gateway.chat_message WHERE ${condition} LIMIT $2
  ) RETURNING 1`;

const DELETE_MESSAGES = deleteMessagesSql('time < $1');

const DELETE_VOICE_MESSAGES = deleteMessagesSql("time < $1 AND kind = 'ChatVoiceMessage'");

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

/** A stored message as far as a repetition is compared with it. */
export interface StoredChatMessage extends Pick<
  ChatMessageRow,
  'conversationId' | 'conversationSeq' | 'kind' | 'time' | 'payload'
> {
  /** The payload of a recalled message is deleted. */
  recalled?: boolean;
}

interface MemberRow extends Omit<ActiveMember, 'principal'>, Pick<ConversationMembers, 'revision'> {
  conversationId: string;
  type: ConversationType;
}

/** Stores and reads chat messages in batches. */
@Injectable()
export class ChatMessageRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Locks the conversations in the order of their ids and returns them; unknown conversations are omitted. */
  lock(conversationIds: readonly string[]): Promise<LockedConversation[]> {
    return this.unitOfWork.executor.query<LockedConversation>(LOCK_CONVERSATIONS, [conversationIds]);
  }

  /** Returns the active members of these conversations. */
  async findMembers(conversationIds: readonly string[]): Promise<Map<string, ConversationMembers>> {
    const rows = await this.unitOfWork.executor.query<MemberRow>(FIND_ACTIVE_MEMBERS, [conversationIds]);
    const found = new Map<string, ConversationMembers & { activeMembers: ActiveMember[] }>();
    for (const { conversationId, type, revision, ...member } of rows) {
      const audience = type === 'FAMILY' ? 'FAMILY_GROUP' : 'CHAT';
      const members = found.get(conversationId) ?? { revision, audience, activeMembers: [] };
      members.activeMembers.push({ ...member, principal: memberPrincipal(member) });
      found.set(conversationId, members);
    }
    return found;
  }

  /** Returns those of these messages that are stored, by message id. */
  async findStored(ids: readonly string[]): Promise<Map<string, StoredChatMessage>> {
    const rows = await this.unitOfWork.executor.query<StoredChatMessage & { id: string }>(FIND_STORED_MESSAGES, [
      uuidArray(ids),
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Deletes at most `limit` messages older than `before` (Unix milliseconds); returns their number. */
  prune(before: number, limit: number): Promise<number> {
    return this.deleteSelected(DELETE_MESSAGES, before, limit);
  }

  /** Deletes old voice messages like {@link prune}. */
  pruneVoice(before: number, limit: number): Promise<number> {
    return this.deleteSelected(DELETE_VOICE_MESSAGES, before, limit);
  }

  /**
   * Stores messages of locked conversations and advances the conversations' heads to their newest messages.
   * @throws TransactionConflictError if one of the messages is already stored
   */
  async store(messages: readonly ChatMessageRow[]): Promise<void> {
    const parameters = [
      uuidArray(messages.map(({ conversationId }) => conversationId)),
      bigintArray(messages.map(({ conversationSeq }) => conversationSeq)),
      uuidArray(messages.map(({ id }) => id)),
      textArray(messages.map(({ member }) => member)),
      textArray(messages.map(({ from }) => from.type)),
      textArray(messages.map(({ from }) => from.id)),
      textArray(messages.map(({ kind }) => kind)),
      bigintArray(messages.map(({ time }) => time)),
      jsonArray(messages.map(({ payloadText }) => payloadText)),
    ];
    try {
      await this.unitOfWork.executor.query(STORE_MESSAGES, parameters);
    } catch (error) {
      if (violatedUniqueConstraint(error) !== 'chat_message_id_key') throw error;
      throw new TransactionConflictError({ cause: error });
    }
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

  private async deleteSelected(statement: string, before: number, limit: number): Promise<number> {
    return (await this.unitOfWork.executor.query(statement, [before, limit])).length;
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChatMessageEntity);
  }
}
