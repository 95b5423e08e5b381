import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import type { DeliveryAck } from '../../../protocol/delivery-ack-tracker.js';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import type { MemberKey } from '../membership/conversation-plan.js';

/** A member has, or has read, everything in the conversation up to a number. */
export interface MemberProgress {
  conversationId: string;
  member: MemberKey;
  conversationSeq: number;
}

/** A mark that has moved forward, over everything after `from`, up to `to`. */
export interface MarkAdvance {
  conversationId: string;
  member: MemberKey;
  from: number;
  to: number;
}

/** The newest message of one sender that a movement covers. */
export interface CoveredMessage {
  conversationId: string;
  messageId: string;
  conversationSeq: number;
  /** Whose mark has moved. */
  reader: MemberKey;
  /** Who said it. */
  sender: MemberKey;
}

/** Marks of how far members have received and read. */
@Injectable()
export class ReceiptRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Principals some session of which has acknowledged more than receipts were given for. */
  findPending(limit: number): Promise<DeliveryAck[]> {
    return this.unitOfWork.executor.query<DeliveryAck>(
      `SELECT principal, max(acknowledged) AS seq
       FROM gateway.session_cursor LEFT JOIN gateway.receipt_cursor USING (principal)
       WHERE acknowledged > coalesce(delivered, 0)
       GROUP BY principal LIMIT $1`,
      [limit],
    );
  }

  /** Moves the marks of principals forward in the open unit of work, and says what of conversations they now have. */
  async applyDeliveryAcks(arrivals: readonly DeliveryAck[]): Promise<MemberProgress[]> {
    const { executor } = this.unitOfWork;
    const principals = arrivals.map(({ principal }) => principal);
    await executor.query(
      `INSERT INTO gateway.receipt_cursor (principal, delivered)
       SELECT name, 0 FROM unnest($1::text[]) AS name ORDER BY name ON CONFLICT DO NOTHING`,
      [principals],
    );
    const marks = await executor.query<{ principal: PrincipalKey; delivered: number }>(
      'SELECT principal, delivered FROM gateway.receipt_cursor WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE',
      [principals],
    );
    const delivered = new Map(marks.map((mark) => [mark.principal, mark.delivered]));
    const isKnown = ({ principal, known }: DeliveryAck) => known && known.after <= (delivered.get(principal) ?? 0);
    const read = await this.findArrived(arrivals.filter((arrival) => !isKnown(arrival)));
    await executor.query(
      `UPDATE gateway.receipt_cursor AS known SET delivered = greatest(known.delivered, said.seq)
       FROM unnest($1::text[], $2::bigint[]) AS said (principal, seq) WHERE known.principal = said.principal`,
      [principals, arrivals.map(({ seq }) => seq)],
    );
    return [...arrivals.filter(isKnown).flatMap(progressOf), ...read];
  }

  /** What of conversations lies between the principals' marks and what has arrived now, from their mailboxes. */
  private async findArrived(arrivals: readonly DeliveryAck[]): Promise<MemberProgress[]> {
    if (arrivals.length === 0) return [];
    return this.unitOfWork.prepared.query<MemberProgress>(ARRIVED, [
      arrivals.map(({ principal }) => principal),
      arrivals.map(({ seq }) => seq),
      Object.values(CHAT_KIND),
    ]);
  }

  /** Moves members' marks forward, never back, and says which have moved. What is read has been received. */
  advance(status: ReceiptStatus, progress: readonly MemberProgress[]): Promise<MarkAdvance[]> {
    return this.unitOfWork.prepared.query<MarkAdvance>(status === 'READ' ? ADVANCE_READ : ADVANCE_DELIVERED, [
      progress.map(({ conversationId }) => conversationId),
      progress.map(({ member }) => member),
      progress.map(({ conversationSeq }) => conversationSeq),
    ]);
  }

  /** Per movement and sender, the newest message that is covered for the first time. */
  findCovered(movements: readonly MarkAdvance[]): Promise<CoveredMessage[]> {
    return this.unitOfWork.prepared.query<CoveredMessage>(COVERED, [
      movements.map(({ conversationId }) => conversationId),
      movements.map(({ member }) => member),
      movements.map(({ from }) => from),
      movements.map(({ to }) => to),
    ]);
  }

  /** Number of a message that was said in this conversation. */
  async findNumber(conversationId: string, messageId: string): Promise<number | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ seq: number }>(
      'SELECT conversation_seq AS seq FROM gateway.chat_message WHERE id = $2 AND conversation_id = $1',
      [conversationId, messageId],
    );
    return row?.seq;
  }
}

/**
 * What was said is in the mailbox with its number: no look at the conversations is needed for each message. OFFSET 0
 * keeps each range a walk along the mailbox's key, whatever the planner believes of a table that has just grown.
 */
const ARRIVED = `
  SELECT heard.conversation_id AS "conversationId", own.member, heard.seq AS "conversationSeq"
  FROM (
    SELECT said.principal, (arrived.payload->>'conversationId')::uuid AS conversation_id,
      max((arrived.payload->>'conversationSeq')::bigint) AS seq
    FROM unnest($1::text[], $2::bigint[]) AS said (principal, seq)
    JOIN gateway.receipt_cursor AS known USING (principal)
    CROSS JOIN LATERAL (
      SELECT payload FROM gateway.mailbox_message AS stored
      WHERE stored.principal = said.principal AND stored.seq > known.delivered AND stored.seq <= said.seq
        AND stored.kind = ANY($3::text[]) AND stored.sender_type || ':' || stored.sender_id <> said.principal
      OFFSET 0
    ) AS arrived
    GROUP BY said.principal, conversation_id
  ) AS heard
  JOIN gateway.conversation_member AS own
    ON own.conversation_id = heard.conversation_id AND own.active
    AND (own.member = heard.principal OR 'watch:' || own.did = heard.principal)`;

/** A watch hears as the child that its messages are about. */
function progressOf({ principal, known }: DeliveryAck): MemberProgress[] {
  return [...(known?.conversations ?? [])].map(([conversationId, { conversationSeq, cid }]) => {
    const member: MemberKey = principal.startsWith('watch:') ? `child:${cid ?? ''}` : (principal as MemberKey);
    return { conversationId, member, conversationSeq };
  });
}

const advanceOf = (column: string, more: string) => `
  WITH said AS (
    SELECT conversation_id, member, max(seq) AS seq
    FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS said (conversation_id, member, seq)
    GROUP BY conversation_id, member
  ), before AS (
    SELECT conversation_id, member, known.${column} AS seq
    FROM gateway.conversation_member AS known JOIN said USING (conversation_id, member)
    WHERE known.active
    ORDER BY conversation_id, member FOR UPDATE OF known
  )
  UPDATE gateway.conversation_member AS mark SET ${column} = said.seq${more}
  FROM said JOIN before USING (conversation_id, member)
  WHERE mark.conversation_id = said.conversation_id AND mark.member = said.member AND mark.${column} < said.seq
  RETURNING mark.conversation_id AS "conversationId", mark.member, before.seq AS "from", said.seq AS "to"`;

const ADVANCE_DELIVERED = advanceOf('delivered_seq', '');
const ADVANCE_READ = advanceOf('read_seq', ', delivered_seq = greatest(mark.delivered_seq, said.seq)');

const COVERED = `
  SELECT moved.conversation_id AS "conversationId", moved.reader, said.member AS sender,
    said.id AS "messageId", said.conversation_seq AS "conversationSeq"
  FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS moved (conversation_id, reader, after, through)
  JOIN gateway.conversation_member AS other
    ON other.conversation_id = moved.conversation_id AND other.member <> moved.reader AND other.active
  CROSS JOIN LATERAL (
    SELECT member, id, conversation_seq FROM gateway.chat_message AS chat
    WHERE chat.conversation_id = moved.conversation_id AND chat.conversation_seq > moved.after
      AND chat.conversation_seq <= moved.through AND chat.member = other.member
    ORDER BY chat.conversation_seq DESC LIMIT 1
  ) AS said`;
