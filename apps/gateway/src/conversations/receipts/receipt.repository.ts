import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CHAT_KIND, type MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import { ChatMessageEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { DeliveryAck } from '../../mailbox/delivery-ack-tracker.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_PENDING_RECEIPTS = `
  SELECT principal, max(acknowledged) AS seq
  FROM gateway.session_cursor LEFT JOIN gateway.receipt_cursor USING (principal)
  WHERE seen_at >= $1 AND acknowledged > coalesce(delivered, 0)
  GROUP BY principal LIMIT $2`;

/** Inserts in the order of the principals, so that transactions cannot deadlock. */
const INSERT_RECEIPT_CURSORS = `
  INSERT INTO gateway.receipt_cursor (principal, delivered)
  SELECT key, 0 FROM unnest($1::text[]) AS key ORDER BY key ON CONFLICT DO NOTHING`;

const LOCK_RECEIPT_CURSORS =
  'SELECT principal, delivered FROM gateway.receipt_cursor WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE';

const ADVANCE_RECEIPT_CURSORS = `
  UPDATE gateway.receipt_cursor AS cursor SET delivered = greatest(cursor.delivered, requested.seq)
  FROM unnest($1::text[], $2::bigint[]) AS requested (principal, seq) WHERE cursor.principal = requested.principal`;

/**
 * A chat entry that excludes a session is the sender's own message. Entries that an older build has stored contain the
 * sequence number in their payload. OFFSET 0 makes PostgreSQL read each range by an index scan on the mailbox's key,
 * even if the planner statistics are outdated because the table has just grown.
 */
const FIND_UNRECORDED_PROGRESS = prepared(`
  SELECT progress.conversation_id AS "conversationId", own.member, progress.seq AS "conversationSeq"
  FROM (
    SELECT requested.principal, chat.conversation_id, max(chat.conversation_seq) AS seq
    FROM unnest($1::text[], $2::bigint[]) AS requested (principal, seq)
    JOIN gateway.receipt_cursor AS cursor USING (principal)
    CROSS JOIN LATERAL (
      SELECT conversation_id, conversation_seq FROM (
        SELECT entry.conversation_id, entry.conversation_seq FROM gateway.mailbox_chat_entry AS entry
        WHERE entry.principal = requested.principal AND entry.seq > cursor.delivered AND entry.seq <= requested.seq
          AND entry.except_session IS NULL
        OFFSET 0
      ) AS stored
      UNION ALL
      SELECT (payload->>'conversationId')::uuid, (payload->>'conversationSeq')::bigint FROM (
        SELECT payload FROM gateway.mailbox_entry AS entry
        WHERE entry.principal = requested.principal AND entry.seq > cursor.delivered AND entry.seq <= requested.seq
          AND entry.kind = ANY($3::text[]) AND entry.sender_type || ':' || entry.sender_id <> requested.principal
        OFFSET 0
      ) AS stored
    ) AS chat
    GROUP BY requested.principal, chat.conversation_id
  ) AS progress
  JOIN gateway.conversation_member AS own
    ON own.conversation_id = progress.conversation_id AND own.active
    AND (own.member = progress.principal OR 'watch:' || own.did = progress.principal)`);

const advanceSql = (column: string, alsoSet: string) => `
  WITH requested AS (
    SELECT conversation_id, member, max(seq) AS seq
    FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS requested (conversation_id, member, seq)
    GROUP BY conversation_id, member
  ), previous AS (
    SELECT conversation_id, member, own.${column} AS seq
    FROM gateway.conversation_member AS own JOIN requested USING (conversation_id, member)
    WHERE own.active
    ORDER BY conversation_id, member FOR UPDATE OF own
  )
  UPDATE gateway.conversation_member AS mark SET ${column} = requested.seq${alsoSet}
  FROM requested JOIN previous USING (conversation_id, member)
  WHERE mark.conversation_id = requested.conversation_id AND mark.member = requested.member AND mark.${column} < requested.seq
  RETURNING mark.conversation_id AS "conversationId", mark.member, previous.seq AS "from", requested.seq AS "to"`;

const ADVANCE_DELIVERED = prepared(advanceSql('delivered_seq', ''));

const ADVANCE_READ = prepared(advanceSql('read_seq', ', delivered_seq = greatest(mark.delivered_seq, requested.seq)'));

const FIND_NEWEST_MARKED_MESSAGES = prepared(`
  SELECT advance.conversation_id AS "conversationId", advance.reader, message.member AS sender,
    message.id AS "messageId", message.conversation_seq AS "conversationSeq"
  FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS advance (conversation_id, reader, after, through)
  JOIN gateway.conversation_member AS other
    ON other.conversation_id = advance.conversation_id AND other.member <> advance.reader AND other.active
  CROSS JOIN LATERAL (
    SELECT member, id, conversation_seq FROM gateway.chat_message AS chat
    WHERE chat.conversation_id = advance.conversation_id AND chat.conversation_seq > advance.after
      AND chat.conversation_seq <= advance.through AND chat.member = other.member
    ORDER BY chat.conversation_seq DESC LIMIT 1
  ) AS message`);

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
