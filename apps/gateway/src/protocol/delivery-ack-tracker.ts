import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
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
export interface KnownDelivery {
  after: number;
  conversations: ReadonlyMap<string, ConversationProgress>;
}

/**
 * A principal has received all messages up to `seq` of its mailbox. `known` contains the conversation messages up to
 * `seq`, if this node has recorded them.
 */
export interface DeliveryAck {
  principal: PrincipalKey;
  seq: number;
  known?: KnownDelivery;
}

interface Unacknowledged extends ConversationProgress {
  seq: number;
  conversationId: string;
}

/**
 * Maximum number of conversation messages recorded per session. Above this number, recorded messages are discarded and
 * the mailbox is queried instead.
 */
const MAX_UNACKNOWLEDGED = 500;

const chatKinds: ReadonlySet<string> = new Set(Object.values(CHAT_KIND));

/**
 * Records the conversation messages sent to one session, so that the session's acknowledgement is matched to them
 * without a query.
 */
export class DeliveryAckTracker {
  private unacknowledged: Unacknowledged[] = [];
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
    if (this.unacknowledged.length <= MAX_UNACKNOWLEDGED) return;
    this.unacknowledged = [];
    this.after = through;
  }

  /**
   * Returns the recorded conversation messages up to `seq`, or `undefined` if they were not recorded or are already
   * acknowledged.
   */
  acknowledge(seq: number): KnownDelivery | undefined {
    if (seq <= this.after || seq > this.through) return undefined;
    const conversations = new Map<string, ConversationProgress>();
    let count = 0;
    for (const { seq: at, conversationId, conversationSeq, cid } of this.unacknowledged) {
      if (at > seq) break;
      conversations.set(conversationId, { conversationSeq, cid });
      count += 1;
    }
    this.unacknowledged.splice(0, count);
    const known = { after: this.after, conversations };
    this.after = seq;
    return known;
  }

  private record({ seq, kind, from, cid, payload }: MessageEnvelope): void {
    if (seq === undefined || !chatKinds.has(kind) || `${from.type}:${from.id}` === this.reader) return;
    const { conversationId, conversationSeq } = payload as WithConversationSeq<ChatMessagePayload>;
    this.unacknowledged.push({ seq, conversationId, conversationSeq, cid });
  }
}

/**
 * Merges two acknowledgements of one principal, from any sessions. The result has `known` only if both acknowledgements
 * have `known` and their ranges adjoin or overlap.
 */
export function mergeDeliveryAcks(one: DeliveryAck, other: DeliveryAck): DeliveryAck {
  const { principal } = one;
  const seq = Math.max(one.seq, other.seq);
  if (!one.known || !other.known) return { principal, seq };
  if (one.known.after > other.seq || other.known.after > one.seq) return { principal, seq };
  const conversations = new Map(one.known.conversations);
  for (const [conversationId, progress] of other.known.conversations) {
    const before = conversations.get(conversationId)?.conversationSeq ?? 0;
    if (progress.conversationSeq > before) conversations.set(conversationId, progress);
  }
  return { principal, seq, known: { after: Math.min(one.known.after, other.known.after), conversations } };
}
