import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  CHAT_KIND,
  type ChatMessagePayload,
  type WithConversationSeq,
} from '@family-watch/domain/messages/contracts/chat';

/**
 * The highest delivered sequence number of a conversation, and the child that the message with this number is about.
 */
export interface ConversationProgress {
  conversationSeq: number;
  cid: string | undefined;
}

/**
 * The conversation messages sent to a principal after mailbox sequence number `after`, reduced to the highest number
 * per conversation.
 */
export interface RecordedDelivery {
  after: number;
  conversations: ReadonlyMap<string, ConversationProgress>;
}

/**
 * A principal has received all messages up to `seq` of its mailbox. `recordedDelivery` contains the conversation
 * messages up to `seq`, if this node has recorded them.
 */
export interface DeliveryAck {
  principal: PrincipalKey;
  seq: number;
  recordedDelivery?: RecordedDelivery;
}

interface RecordedMessage extends ConversationProgress {
  seq: number;
  conversationId: string;
}

/**
 * Maximum number of conversation messages recorded per session. Above this number, recorded messages are discarded and
 * the mailbox is queried instead.
 */
const MAX_RECORDED_MESSAGES = 500;

const chatKinds: ReadonlySet<string> = new Set(Object.values(CHAT_KIND));

/**
 * Records the conversation messages sent to one session, so that the session's acknowledgement is matched to them
 * without a query.
 */
export class DeliveryAckTracker {
  private recordedMessages: RecordedMessage[] = [];
  /** Mailbox sequence number up to which messages were sent to the session. */
  private sentThrough: number;

  /** @param after - every message after this sequence number is sent to the session and recorded by this tracker */
  constructor(
    private readonly reader: PrincipalKey,
    private after: number,
  ) {
    this.sentThrough = after;
  }

  add({ through, messages }: MessagesFrame): void {
    if (through === undefined) return;
    for (const message of messages) this.record(message);
    this.sentThrough = through;
    if (this.recordedMessages.length <= MAX_RECORDED_MESSAGES) return;
    this.recordedMessages = [];
    this.after = through;
  }

  /**
   * Returns the recorded conversation messages up to `seq`, or `undefined` if they were not recorded or are already
   * acknowledged.
   */
  acknowledge(seq: number): RecordedDelivery | undefined {
    if (seq <= this.after || seq > this.sentThrough) return undefined;
    const conversations = new Map<string, ConversationProgress>();
    let count = 0;
    for (const { seq: at, conversationId, conversationSeq, cid } of this.recordedMessages) {
      if (at > seq) break;
      conversations.set(conversationId, { conversationSeq, cid });
      count += 1;
    }
    this.recordedMessages.splice(0, count);
    const recordedDelivery = { after: this.after, conversations };
    this.after = seq;
    return recordedDelivery;
  }

  private record({ seq, kind, from, cid, payload }: MessageEnvelope): void {
    if (seq === undefined || !chatKinds.has(kind) || `${from.type}:${from.id}` === this.reader) return;
    const { conversationId, conversationSeq } = payload as WithConversationSeq<ChatMessagePayload>;
    this.recordedMessages.push({ seq, conversationId, conversationSeq, cid });
  }
}

/**
 * Merges two acknowledgements of one principal, from any sessions. The result has `recordedDelivery` only if both
 * acknowledgements have `recordedDelivery` and their ranges adjoin or overlap.
 */
export function mergeDeliveryAcks(first: DeliveryAck, second: DeliveryAck): DeliveryAck {
  const { principal } = first;
  const seq = Math.max(first.seq, second.seq);
  if (!first.recordedDelivery || !second.recordedDelivery) return { principal, seq };
  if (first.recordedDelivery.after > second.seq || second.recordedDelivery.after > first.seq) return { principal, seq };
  const conversations = new Map(first.recordedDelivery.conversations);
  for (const [conversationId, progress] of second.recordedDelivery.conversations) {
    const before = conversations.get(conversationId)?.conversationSeq ?? 0;
    if (progress.conversationSeq > before) conversations.set(conversationId, progress);
  }
  const after = Math.min(first.recordedDelivery.after, second.recordedDelivery.after);
  return { principal, seq, recordedDelivery: { after, conversations } };
}
