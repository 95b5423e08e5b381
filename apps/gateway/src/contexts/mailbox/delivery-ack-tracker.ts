import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { ChatMessagePayload, WithConversationSeq } from '@family-watch/domain/messages/contracts/chat';

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
 * A principal has received all messages up to `seq` of its mailbox. `recorded` contains the conversation messages up to
 * `seq`, if this node has recorded them.
 */
export interface DeliveryAck {
  principal: PrincipalKey;
  seq: number;
  recorded?: RecordedDelivery;
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
  private through: number;

  /** @param after - every message after this sequence number is sent to the session and recorded by this tracker */
  constructor(
    private readonly reader: PrincipalKey,
    private after: number,
  ) {
    this.through = after;
  }

  add({ through, messages }: MessagesFrame): void {
    if (through === undefined) return;
    for (const message of messages) this.record(message);
    this.through = through;
    if (this.recordedMessages.length <= MAX_RECORDED_MESSAGES) return;
    this.recordedMessages = [];
    this.after = through;
  }

  /**
   * Returns the recorded conversation messages up to `seq`, or `undefined` if they were not recorded or are already
   * acknowledged.
   */
  acknowledge(seq: number): RecordedDelivery | undefined {
    if (seq <= this.after || seq > this.through) return undefined;
    const conversations = new Map<string, ConversationProgress>();
    let count = 0;
    for (const { seq: at, conversationId, conversationSeq, cid } of this.recordedMessages) {
      if (at > seq) break;
      conversations.set(conversationId, { conversationSeq, cid });
      count += 1;
    }
    this.recordedMessages.splice(0, count);
    const recorded = { after: this.after, conversations };
    this.after = seq;
    return recorded;
  }

  private record({ seq, kind, from, cid, payload }: MessageEnvelope): void {
    if (seq === undefined || !chatKinds.has(kind) || `${from.type}:${from.id}` === this.reader) return;
    const { conversationId, conversationSeq } = payload as WithConversationSeq<ChatMessagePayload>;
    this.recordedMessages.push({ seq, conversationId, conversationSeq, cid });
  }
}

/**
 * Merges two acknowledgements of one principal, from any sessions. The result has `recorded` only if both acknowledgements
 * have `recorded` and their ranges adjoin or overlap.
 */
export function mergeDeliveryAcks(one: DeliveryAck, other: DeliveryAck): DeliveryAck {
  const { principal } = one;
  const seq = Math.max(one.seq, other.seq);
  if (!one.recorded || !other.recorded) return { principal, seq };
  if (one.recorded.after > other.seq || other.recorded.after > one.seq) return { principal, seq };
  const conversations = new Map(one.recorded.conversations);
  for (const [conversationId, progress] of other.recorded.conversations) {
    const before = conversations.get(conversationId)?.conversationSeq ?? 0;
    if (progress.conversationSeq > before) conversations.set(conversationId, progress);
  }
  return { principal, seq, recorded: { after: Math.min(one.recorded.after, other.recorded.after), conversations } };
}
