import type { MessageParty } from './message-kinds.js';
import type { MessageKind } from './message-kinds.js';

/** Who a message comes from; the service itself is `system` with an empty id. */
export interface Sender {
  type: MessageParty | 'system';
  id: string;
}

export const SYSTEM_SENDER: Sender = { type: 'system', id: '' };

/** A message as a client receives it. */
export interface MessageEnvelope<Kind extends MessageKind = MessageKind, Payload = unknown> {
  /** UUID; the same for all recipients of one message. */
  id: string;
  kind: Kind;
  /** Number in the recipient's mailbox, strictly rising; absent for what is not stored. */
  seq?: number;
  /** Unix milliseconds. */
  time: number;
  from: Sender;
  /** The watch and the child the message is about, where there is one. */
  did?: number;
  cid?: string;
  payload: Payload;
}

/**
 * What one `messages` event carries. Durable messages come in contiguous ranges: `after` is the `through` of the
 * range before, and the range may hold fewer messages than numbers. A frame without durable messages has neither.
 */
export interface MessagesFrame {
  after?: number;
  through?: number;
  messages: MessageEnvelope[];
}
