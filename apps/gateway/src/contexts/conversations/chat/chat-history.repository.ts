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

interface MessageRow {
  id: string;
  conversation_seq: number;
  kind: ChatKind;
  time: number;
  sender_type: Sender['type'];
  sender_id: string;
  member: MemberKey;
  payload: object | null;
}

interface ConversationRow {
  conversation_id: string;
  type: ConversationType;
  read_seq: number;
  unread: number;
  members: OtherMember[];
  last: MessageRow | null;
}

/** Reads the conversations of a member, and the messages in them that the member may see. */
@Injectable()
export class ChatHistoryRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns at most `limit` messages before number `before` that this member may see, newest first. */
  async findBefore(membership: ConversationMemberEntity, before: number, limit: number): Promise<HistoryMessage[]> {
    const rows = await this.unitOfWork.executor.query<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
       WHERE conversation_id = $1 AND conversation_seq > $2 AND conversation_seq < $3
       ORDER BY conversation_seq DESC LIMIT $4`,
      [membership.conversationId, membership.joinedAtSeq, before, limit],
    );
    return rows.map(toMessage);
  }

  /** Returns at most `limit` conversations of a member, ordered by id, after the conversation with id `after`. */
  async findConversations(member: MemberKey, after: string, limit: number): Promise<ConversationSummary[]> {
    const rows = await this.unitOfWork.executor.query<ConversationRow>(FIND_CONVERSATIONS, [member, after, limit]);
    return rows.map(({ conversation_id: conversationId, type, read_seq: readSeq, unread, members, last }) => ({
      conversationId,
      type,
      readSeq,
      unread,
      members,
      lastMessage: last && toMessage(last),
    }));
  }
}

function toMessage(row: MessageRow): HistoryMessage {
  const { id, conversation_seq: conversationSeq, kind, time, member, payload } = row;
  const cid = member.startsWith('child:') ? member.slice('child:'.length) : null;
  const from: Sender = { type: row.sender_type, id: row.sender_id };
  return { id, conversationSeq, kind, time, from, cid, payload };
}

const MESSAGE_COLUMNS = `
  message.id, message.conversation_seq, message.kind, message.time, message.sender_type, message.sender_id,
  message.member, CASE WHEN message.recalled_at IS NULL THEN message.payload END AS payload`;

const FIND_CONVERSATIONS = `
  SELECT conversation_id, type, own.read_seq, unread.count AS unread, others.members, last.message AS last
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
