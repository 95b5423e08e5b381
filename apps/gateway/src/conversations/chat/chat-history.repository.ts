import { Injectable } from '@nestjs/common';
import { UNREAD_WINDOW_MESSAGES, type MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type {
  ChatMessageDto,
  ConversationDto,
  ConversationMemberDto,
} from '@family-watch/domain/messages/dto/conversation.dto';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const MESSAGE_COLUMNS = `
  message.id, message.conversation_seq AS "conversationSeq", message.kind, message.time,
  json_build_object('type', message.sender_type, 'id', message.sender_id) AS "from",
  CASE WHEN message.member LIKE 'child:%' THEN substr(message.member, 7) END AS cid,
  CASE WHEN message.recalled_at IS NULL THEN message.payload END AS payload`;

const FIND_MESSAGES_BEFORE = prepared(`
  SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
  WHERE conversation_id = $1 AND conversation_seq > $2 AND conversation_seq < $3
  ORDER BY conversation_seq DESC LIMIT $4`);

const FIND_SEARCH_END = prepared(`
  SELECT conversation_seq AS "conversationSeq" FROM gateway.chat_message
  WHERE conversation_id = $1 AND conversation_seq > $2 AND conversation_seq < $3
  ORDER BY conversation_seq DESC OFFSET $4 LIMIT 1`);

const SEARCH_MESSAGES_BEFORE = prepared(`
  SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
  WHERE conversation_id = $1 AND conversation_seq >= $2 AND conversation_seq < $3
    AND kind = 'ChatTextMessage' AND recalled_at IS NULL AND payload ->> 'text' ILIKE $5
  ORDER BY conversation_seq DESC LIMIT $4`);

const FIND_SEQUENCE_NUMBER = prepared(`
  SELECT conversation_seq AS "conversationSeq" FROM gateway.chat_message
  WHERE id = $1::uuid AND conversation_id = $2 AND conversation_seq > $3`);

/** Prepared, because planning takes as long as the statement. */
export const FIND_CONVERSATIONS = prepared(`
  SELECT conversation_id AS "conversationId", type, own.read_seq AS "readSeq", unread.count AS unread, others.members,
    last.message AS "lastMessage"
  FROM gateway.conversation_member AS own
  JOIN gateway.conversation USING (conversation_id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int FROM gateway.chat_message AS message
    WHERE message.conversation_id = own.conversation_id
      AND message.conversation_seq > greatest(own.read_seq, own.joined_at_seq, head - ${UNREAD_WINDOW_MESSAGES})
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
  ORDER BY conversation_id LIMIT $3`);

/** An active member of a listed conversation, as it is stored: without name and picture. */
export type SummaryMember = Omit<ConversationMemberDto, 'name' | 'avatar'>;

export type ConversationSummary = Omit<ConversationDto, 'members'> & { members: SummaryMember[] };

/** Reads the conversations of a member, and the messages in them that the member may see. */
@Injectable()
export class ChatHistoryRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns at most `limit` messages before number `before` that this member may see, newest first. */
  findBefore(membership: ConversationMemberEntity, before: number, limit: number): Promise<ChatMessageDto[]> {
    const { conversationId, joinedAtSeq } = membership;
    return this.unitOfWork.executor.query(FIND_MESSAGES_BEFORE, [conversationId, joinedAtSeq, before, limit]);
  }

  /**
   * Returns the sequence number of the `count`th message before number `before` that this member may see; undefined if
   * there are fewer.
   */
  async findSearchEnd(
    membership: ConversationMemberEntity,
    before: number,
    count: number,
  ): Promise<number | undefined> {
    const { conversationId, joinedAtSeq } = membership;
    const parameters = [conversationId, joinedAtSeq, before, count - 1];
    const [row] = await this.unitOfWork.executor.query<{ conversationSeq: number }>(FIND_SEARCH_END, parameters);
    return row?.conversationSeq;
  }

  /** Returns at most `limit` messages with `text` that this member may see, newest first. @param range - `from` included */
  search(
    { conversationId, joinedAtSeq }: ConversationMemberEntity,
    text: string,
    { from, before, limit }: { from: number | undefined; before: number; limit: number },
  ): Promise<ChatMessageDto[]> {
    const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const parameters = [conversationId, from ?? joinedAtSeq + 1, before, limit, pattern];
    return this.unitOfWork.executor.query(SEARCH_MESSAGES_BEFORE, parameters);
  }

  /** Returns the sequence number of a message that this member may see. */
  async findSequenceNumber(
    { conversationId, joinedAtSeq }: ConversationMemberEntity,
    messageId: string,
  ): Promise<number | undefined> {
    const parameters = [messageId, conversationId, joinedAtSeq];
    const [row] = await this.unitOfWork.executor.query<{ conversationSeq: number }>(FIND_SEQUENCE_NUMBER, parameters);
    return row?.conversationSeq;
  }

  /** Returns at most `limit` conversations of a member, ordered by id, after the conversation with id `after`. */
  findConversations(member: MemberKey, after: string, limit: number): Promise<ConversationSummary[]> {
    return this.unitOfWork.executor.query(FIND_CONVERSATIONS, [member, after, limit]);
  }
}
