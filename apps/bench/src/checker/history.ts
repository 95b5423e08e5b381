/** A chat message as one session received it. */
export interface ReceivedMessage {
  id: string;
  /** Sequence number in the receiver's mailbox. */
  seq: number;
  conversationId: string;
  conversationSeq: number;
  clientMsgId: string;
  /** False when the text differs from the sent text. */
  intact: boolean;
}

/** An event of a session. `frame` is one `messages` event; `range` is absent for servers without ranges. */
export type SessionEvent =
  | { type: 'hello'; head: number; last?: number; reset: boolean }
  | { type: 'frame'; range?: { after: number; through: number }; messages: ReceivedMessage[] };

/** All events of one reader, across all its connections. A reader resumes at its cursor after a reconnection. */
export interface SessionHistory {
  session: string;
  /** Conversations of which the session must receive every message that others send after its first `hello`. */
  conversations: string[];
  events: SessionEvent[];
}

/** A message as its sender recorded it. The sender may send it, and receive a response, several times. */
export interface SentMessage {
  sender: string;
  clientMsgId: string;
  conversationId: string;
  /** The server's acknowledgements, in the order of receipt. */
  answers: { id: string; conversationSeq: number }[];
}

/** What the clients of one run sent and received. */
export interface History {
  sent: SentMessage[];
  sessions: SessionHistory[];
}

/** Guarantees that only some servers give; the checker skips the others. */
export interface DeliveryGuarantees {
  ranges: boolean;
  conversationNumbers: boolean;
}

export type ViolationKind =
  /** Acknowledged, and not delivered to a session that must get it. */
  | 'lost'
  /** Delivered twice to a session, or one sent message delivered or acknowledged under two ids. */
  | 'duplicate'
  /** A range that does not start at the end of the previous one, or a sequence number outside its range. */
  | 'gap'
  /** Sequence numbers of a mailbox or a conversation that do not increase. */
  | 'order'
  /** Different sequence numbers for one message in sessions and responses, or two messages with one number. */
  | 'disagreement'
  /** Delivered but never sent, or with a different text. */
  | 'forged'
  /** The mailbox was reset although nothing was deleted. */
  | 'reset';

export interface GuaranteeViolation {
  kind: ViolationKind;
  /** Name of the session or the sender. */
  where: string;
  what: string;
}
