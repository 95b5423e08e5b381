/** A chat message as one session received it. */
export interface ReceivedMessage {
  id: string;
  /** Sequence number in the receiver's mailbox. */
  seq: number;
  conversationId: string;
  conversationSeq: number;
  clientMsgId: string;
  /** False when the text differs from the sent text. */
  isTextIntact: boolean;
}

/** An event of a session. `frame` is one `messages` event of a socket; `range` is absent for servers without ranges. */
export type SessionEvent =
  | { type: 'hello'; head: number; last?: number; reset: boolean }
  | { type: 'frame'; range?: { after: number; through: number }; messages: ReceivedMessage[] };

/** All events of one reader on all its connections. A reader resumes at its cursor after a reconnection. */
export interface SessionHistory {
  session: string;
  /** Owner of the mailbox that the session reads, in the format of `SentMessage.sender`; by default `session`. */
  principal?: string;
  /** Conversations whose messages by other principals the session must receive after its first `hello`. */
  conversations: string[];
  events: SessionEvent[];
}

/** A message as its sender recorded it. A sender may send a message several times, and receive several responses. */
export interface SentMessage {
  sender: string;
  clientMsgId: string;
  conversationId: string;
  /** The server's acknowledgements, in the order of receipt. */
  acknowledgements: { id: string; conversationSeq: number }[];
}

/** What the clients of one run sent and received. */
export interface History {
  sent: SentMessage[];
  sessions: SessionHistory[];
}

/** Guarantees that not every server gives; the checker verifies a guarantee only if its field is true. */
export interface DeliveryGuarantees {
  /** Each frame has the contiguous range of sequence numbers that it covers. */
  ranges: boolean;
  /** Messages have increasing numbers per conversation, the same numbers for all sessions. */
  conversationNumbers: boolean;
}

export type ViolationKind =
  /** An acknowledged message is not delivered to a session that must receive it. */
  | 'lost'
  /** A message is delivered twice to a session, or is delivered or acknowledged under two ids. */
  | 'duplicate'
  /** A range does not start at the end of the previous range, or a sequence number is outside its range. */
  | 'gap'
  /** The sequence numbers of a mailbox or a conversation do not increase. */
  | 'order'
  /** Sessions or responses have different sequence numbers for one message, or one number for two messages. */
  | 'disagreement'
  /** A delivered message was never sent, or was sent with a different text. */
  | 'forged'
  /** The mailbox was reset although nothing was deleted. */
  | 'reset'
  /** An operation had no response although its client retried it until the end of the run. */
  | 'unfinished'
  /** A process of the service ended without being stopped. */
  | 'exit'
  /** The run proves nothing, because no fault was injected or no operation of a kind was acknowledged. */
  | 'empty';

export interface GuaranteeViolation {
  kind: ViolationKind;
  /** Session, sender or object whose records contain the violation. */
  source: string;
  what: string;
}
