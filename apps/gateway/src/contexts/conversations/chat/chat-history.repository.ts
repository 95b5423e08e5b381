import { Injectable } from '@nestjs/common';
import type { ChatKind, ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { Sender } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { FIND_MESSAGES_BEFORE, FIND_CONVERSATIONS } from '../conversations.sql.js';

/** A chat message as listed in the history of its conversation. */
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

/** An active member of a listed conversation, with the member's delivered and read marks. */
export interface SummaryMember {
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
  members: SummaryMember[];
  lastMessage: HistoryMessage | null;
}

/** Reads the conversations of a member, and the messages in them that the member may see. */
@Injectable()
export class ChatHistoryRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns at most `limit` messages before number `before` that this member may see, newest first. */
  findBefore(membership: ConversationMemberEntity, before: number, limit: number): Promise<HistoryMessage[]> {
    const { conversationId, joinedAtSeq } = membership;
    return this.unitOfWork.executor.query(FIND_MESSAGES_BEFORE, [conversationId, joinedAtSeq, before, limit]);
  }

  /** Returns at most `limit` conversations of a member, ordered by id, after the conversation with id `after`. */
  findConversations(member: MemberKey, after: string, limit: number): Promise<ConversationSummary[]> {
    return this.unitOfWork.executor.query(FIND_CONVERSATIONS, [member, after, limit]);
  }
}
