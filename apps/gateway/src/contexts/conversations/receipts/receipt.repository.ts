import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import { ChatMessageEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import type { DeliveryAck } from '../../mailbox/delivery-ack-tracker.js';
import {
  ADVANCE_DELIVERED,
  ADVANCE_READ,
  ADVANCE_RECEIPT_CURSORS,
  FIND_NEWEST_MARKED_MESSAGES,
  FIND_PENDING_RECEIPTS,
  FIND_UNRECORDED_PROGRESS,
  INSERT_RECEIPT_CURSORS,
  LOCK_RECEIPT_CURSORS,
} from '../conversations.sql.js';

/** A member has received, or read, all messages of a conversation up to `conversationSeq`. */
export interface MemberProgress {
  conversationId: string;
  member: MemberKey;
  conversationSeq: number;
}

/** An advance of a member's delivered or read mark from sequence number `from` to `to`. */
export interface MarkAdvance {
  conversationId: string;
  member: MemberKey;
  from: number;
  to: number;
}

/** The newest message of one sender between the old and the new position of a member's mark. */
export interface NewestMarkedMessage {
  conversationId: string;
  messageId: string;
  conversationSeq: number;
  /** The member whose mark has advanced. */
  reader: MemberKey;
  /** The member that sent the message. */
  sender: MemberKey;
}

/** Stores the delivered and read marks of members in their conversations. */
@Injectable()
export class ReceiptRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Returns principals that have acknowledged messages for which no receipts were sent yet, in sessions seen since
   * `seenSince` (Unix milliseconds).
   */
  findPending(seenSince: number, limit: number): Promise<DeliveryAck[]> {
    return this.unitOfWork.executor.query<DeliveryAck>(FIND_PENDING_RECEIPTS, [seenSince, limit]);
  }

  /**
   * Advances the receipt cursors of principals in the current transaction. Returns the highest delivered sequence
   * number per member and conversation.
   */
  async applyDeliveryAcks(acks: readonly DeliveryAck[]): Promise<MemberProgress[]> {
    const { executor } = this.unitOfWork;
    const principals = acks.map(({ principal }) => principal);
    await executor.query(INSERT_RECEIPT_CURSORS, [principals]);
    const marks = await executor.query<{ principal: PrincipalKey; delivered: number }>(LOCK_RECEIPT_CURSORS, [
      principals,
    ]);
    const delivered = new Map(marks.map((mark) => [mark.principal, mark.delivered]));
    const isRecorded = ({ principal, recordedDelivery }: DeliveryAck) =>
      recordedDelivery && recordedDelivery.after <= (delivered.get(principal) ?? 0);
    const unrecordedProgress = await this.findUnrecordedProgress(acks.filter((ack) => !isRecorded(ack)));
    await executor.query(ADVANCE_RECEIPT_CURSORS, [principals, acks.map(({ seq }) => seq)]);
    return [...acks.filter(isRecorded).flatMap(progressOf), ...unrecordedProgress];
  }

  /**
   * Reads from the mailboxes the chat messages between the receipt cursors and the acknowledgements, and returns the
   * highest sequence number per member and conversation.
   */
  private async findUnrecordedProgress(acks: readonly DeliveryAck[]): Promise<MemberProgress[]> {
    if (acks.length === 0) return [];
    return this.unitOfWork.executor.query<MemberProgress>(FIND_UNRECORDED_PROGRESS, [
      ...columnsOf(acks, 'principal', 'seq'),
      Object.values(CHAT_KIND),
    ]);
  }

  /**
   * Advances the delivered or read marks of members, never back. A message that was read also counts as received.
   * @returns the marks that have advanced
   */
  advanceMarks(status: ReceiptStatus, progress: readonly MemberProgress[]): Promise<MarkAdvance[]> {
    return this.unitOfWork.executor.query<MarkAdvance>(
      status === 'READ' ? ADVANCE_READ : ADVANCE_DELIVERED,
      columnsOf(progress, 'conversationId', 'member', 'conversationSeq'),
    );
  }

  /** Returns, per advance and sender, the newest message between the old and the new position of the mark. */
  findNewestMarkedMessages(advances: readonly MarkAdvance[]): Promise<NewestMarkedMessage[]> {
    return this.unitOfWork.executor.query<NewestMarkedMessage>(
      FIND_NEWEST_MARKED_MESSAGES,
      columnsOf(advances, 'conversationId', 'member', 'from', 'to'),
    );
  }

  /** Returns the sequence number of a message in this conversation. */
  async findSeq(conversationId: string, messageId: string): Promise<number | undefined> {
    const messages = this.unitOfWork.manager.getRepository(ChatMessageEntity);
    const select = { conversationSeq: true } as const;
    return (await messages.findOne({ select, where: { conversationId, id: messageId } }))?.conversationSeq;
  }
}

/**
 * Converts an acknowledgement into progress per conversation. A watch acknowledges on behalf of the child that its
 * messages are about.
 */
function progressOf({ principal, recordedDelivery }: DeliveryAck): MemberProgress[] {
  return [...(recordedDelivery?.conversations ?? [])].map(([conversationId, { conversationSeq, cid }]) => {
    const member: MemberKey = principal.startsWith('watch:') ? `child:${cid ?? ''}` : (principal as MemberKey);
    return { conversationId, member, conversationSeq };
  });
}
