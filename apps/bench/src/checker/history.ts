/** A chat message as one session got it. */
export interface ReceivedMessage {
  id: string;
  /** Number in the receiver's mailbox. */
  seq: number;
  conversationId: string;
  conversationSeq: number;
  clientMsgId: string;
  /** False when the text is not the one that was sent. */
  intact: boolean;
}

/** `frame`: what one `messages` event brought; `range` is absent for a server that tells no ranges. */
export type SessionEvent =
  | { type: 'hello'; head: number; last?: number; reset: boolean }
  | { type: 'frame'; range?: { after: number; through: number }; messages: ReceivedMessage[] };

/** Everything that one reader got, across all its connections: it resumes where it stopped. */
export interface SessionHistory {
  session: string;
  /** Conversations whose messages, sent by others from its first greeting on, it must get. */
  conversations: string[];
  events: SessionEvent[];
}

/** One message as its sender knows it; the same one may be sent, and answered, several times. */
export interface SentMessage {
  sender: string;
  clientMsgId: string;
  conversationId: string;
  answers: { id: string; conversationSeq: number }[];
}

/** What the clients of one run saw. */
export interface History {
  sent: SentMessage[];
  sessions: SessionHistory[];
}

/** What a server without conversations or ranges cannot be held to. */
export interface DeliveryGuarantees {
  ranges: boolean;
  conversationNumbers: boolean;
}

export type ViolationKind =
  /** Acknowledged, and not delivered to a session that must get it. */
  | 'lost'
  /** Delivered twice to a session, or one sent message delivered or answered under two ids. */
  | 'duplicate'
  /** A range that does not begin where the one before ended, or a number outside its range. */
  | 'gap'
  /** Numbers of the mailbox or of a conversation that do not rise. */
  | 'order'
  /** Sessions and answers that disagree about a message's number, or two messages of one number. */
  | 'disagreement'
  /** Delivered and never sent, or with another text. */
  | 'forged'
  /** The mailbox began anew while nothing was deleted. */
  | 'reset';

export interface GuaranteeViolation {
  kind: ViolationKind;
  /** Session or sender. */
  where: string;
  what: string;
}
