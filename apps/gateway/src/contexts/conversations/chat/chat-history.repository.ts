import { Injectable } from '@nestjs/common';
import type { ChatKind, ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { Sender } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';

/** A message in the history. */
export interface HistoryMessage {
  id: string;
  conversationSeq: number;
  kind: ChatKind;
  time: number;
  from: Sender;
  /** The child that sent the message, or `null` for a message of a user. */
  cid: string | null;
  /** Content of the message, or `null` if the message was recalled. */
  payload: object | null;
}

export interface OtherMember {
  userId: string | null;
  cid: string | null;
  did: number | null;
  deliveredSeq: number;
  readSeq: number;
}

export interface ConversationSummary {
  conversationId: string;
  type: ConversationType;
  readSeq: number;
  unread: number;
  members: OtherMember[];
  lastMessage: HistoryMessage | null;
}

/** Reads the conversations of a member, and the messages in them that the member may see. */
@Injectable()
export class ChatHistoryRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns at most `limit` messages before number `before` that this member may see, newest first. */
  findBefore(membership: ConversationMemberEntity, before: number, limit: number): Promise<HistoryMessage[]> {
    const { conversationId, joinedAtSeq } = membership;
    return this.unitOfWork.executor.query(FIND_BEFORE, [conversationId, joinedAtSeq, before, limit]);
  }

  /** Returns at most `limit` conversations of a member, ordered by id, after the conversation with id `after`. */
  findConversations(member: MemberKey, after: string, limit: number): Promise<ConversationSummary[]> {
    return this.unitOfWork.executor.query(FIND_CONVERSATIONS, [member, after, limit]);
  }
}

const MESSAGE_COLUMNS = `
  message.id, message.conversation_seq AS "conversationSeq", message.kind, message.time,
  json_build_object('type', message.sender_type, 'id', message.sender_id) AS "from",
  CASE WHEN message.member LIKE 'child:%' THEN substr(message.member, 7) END AS cid,
  CASE WHEN message.recalled_at IS NULL THEN message.payload END AS payload`;

const FIND_BEFORE = `
  SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
  WHERE conversation_id = $1 AND conversation_seq > $2 AND conversation_seq < $3
  ORDER BY conversation_seq DESC LIMIT $4`;

const FIND_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId", type, own.read_seq AS "readSeq", unread.count AS unread, others.members,
    last.message AS "lastMessage"
  FROM gateway.conversation_member AS own
  JOIN gateway.conversation USING (conversation_id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int FROM gateway.chat_message AS message
    WHERE message.conversation_id = own.conversation_id
      AND message.conversation_seq > greatest(own.read_seq, own.joined_at_seq)
      AND message.member <> own.member AND message.recalled_at IS NULL
  ) AS unread
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
      'userId', CASE WHEN other.cid IS NULL THEN substr(other.member, 6) END, 'cid', other.cid, 'did', other.did,
      'deliveredSeq', other.delivered_seq, 'readSeq', other.read_seq
    ) ORDER BY other.member) AS members
    FROM gateway.conversation_member AS other
    WHERE other.conversation_id = own.conversation_id AND other.active
  ) AS others
  LEFT JOIN LATERAL (
    SELECT row_to_json(newest) AS message FROM (
      SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
      WHERE message.conversation_id = own.conversation_id AND message.conversation_seq > own.joined_at_seq
      ORDER BY message.conversation_seq DESC LIMIT 1
    ) AS newest
  ) AS last ON true
  WHERE own.member = $1 AND own.active AND conversation_id > $2::uuid
  ORDER BY conversation_id LIMIT $3`;
