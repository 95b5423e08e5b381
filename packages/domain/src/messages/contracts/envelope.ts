import type { MessageParty } from './message-kinds.js';
import type { MessageKind } from './message-kinds.js';

/** Sender of a message; the service itself is `system` with an empty id. */
export interface Sender {
  type: MessageParty | 'system';
  id: string;
}

export const SYSTEM_SENDER: Sender = { type: 'system', id: '' };

/** A message as a client receives it. */
export interface MessageEnvelope<Kind extends MessageKind = MessageKind, Payload = unknown> {
  /** UUID of the message; the same for all its recipients. */
  id: string;
  kind: Kind;
  /** Sequence number in the recipient's mailbox, strictly increasing; absent for messages that are not stored. */
  seq?: number;
  /** Unix milliseconds. */
  time: number;
  from: Sender;
  /** The watch and the child to which the message refers, if any. */
  did?: number;
  cid?: string;
  payload: Payload;
}

/**
 * Payload of a `messages` event. Durable messages are delivered in contiguous ranges of sequence numbers: `after`
 * equals `through` of the previous range, and a range may contain fewer messages than numbers. A frame without durable
 * messages has neither `after` nor `through`.
 */
export interface MessagesFrame {
  after?: number;
  through?: number;
  messages: MessageEnvelope[];
}
