import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CHAT_KIND } from '@family-watch/domain/messages/contracts/chat';
import type { ChatMessagePayload, WithConversationSeq } from '@family-watch/domain/messages/contracts/chat';

/** How far a conversation has arrived; `cid` is the child the message was about. */
export interface ConversationProgress {
  conversationSeq: number;
  cid: string | undefined;
}

/** Everything that was said to a principal in the numbers after `after`, by conversation. */
export interface KnownDelivery {
  after: number;
  conversations: ReadonlyMap<string, ConversationProgress>;
}

/** Everything up to number `seq` of its mailbox has reached a principal; what that was, if it is known here. */
export interface DeliveryAck {
  principal: PrincipalKey;
  seq: number;
  known?: KnownDelivery;
}

interface Unacknowledged extends ConversationProgress {
  seq: number;
  conversationId: string;
}

/** Messages of conversations remembered per session; with more of them the mailbox is asked instead. */
const MAX_UNACKNOWLEDGED = 500;

const chatKinds: ReadonlySet<string> = new Set(Object.values(CHAT_KIND));

/** What one session was sent of conversations and has not acknowledged yet: its acknowledgement tells what it heard. */
export class DeliveryAckTracker {
  private waiting: Unacknowledged[] = [];
  private through: number;

  /** @param after - number after which the session is sent everything; all after it is remembered */
  constructor(
    private readonly reader: PrincipalKey,
    private after: number,
  ) {
    this.through = after;
  }

  add({ through, messages }: MessagesFrame): void {
    if (through === undefined) return;
    for (const message of messages) this.remember(message);
    this.through = through;
    if (this.waiting.length <= MAX_UNACKNOWLEDGED) return;
    this.waiting = [];
    this.after = through;
  }

  /** What arrives with this acknowledgement; `undefined` if that is not known, or not new. */
  acknowledge(seq: number): KnownDelivery | undefined {
    if (seq <= this.after || seq > this.through) return undefined;
    const conversations = new Map<string, ConversationProgress>();
    let arrived = 0;
    for (const { seq: at, conversationId, conversationSeq, cid } of this.waiting) {
      if (at > seq) break;
      conversations.set(conversationId, { conversationSeq, cid });
      arrived += 1;
    }
    this.waiting.splice(0, arrived);
    const known = { after: this.after, conversations };
    this.after = seq;
    return known;
  }

  private remember({ seq, kind, from, cid, payload }: MessageEnvelope): void {
    if (seq === undefined || !chatKinds.has(kind) || `${from.type}:${from.id}` === this.reader) return;
    const { conversationId, conversationSeq } = payload as WithConversationSeq<ChatMessagePayload>;
    this.waiting.push({ seq, conversationId, conversationSeq, cid });
  }
}

/** Two arrivals of one principal, from whichever sessions; known is what joins without a gap. */
export function mergeDeliveryAcks(one: DeliveryAck, other: DeliveryAck): DeliveryAck {
  const { principal } = one;
  const seq = Math.max(one.seq, other.seq);
  if (!one.known || !other.known) return { principal, seq };
  if (one.known.after > other.seq || other.known.after > one.seq) return { principal, seq };
  const conversations = new Map(one.known.conversations);
  for (const [conversationId, heard] of other.known.conversations) {
    const before = conversations.get(conversationId)?.conversationSeq ?? 0;
    if (heard.conversationSeq > before) conversations.set(conversationId, heard);
  }
  return { principal, seq, known: { after: Math.min(one.known.after, other.known.after), conversations } };
}
