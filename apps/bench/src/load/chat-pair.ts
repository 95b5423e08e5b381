/** One sender and one receiver of a conversation, on whichever server. */
export interface ChatPair {
  /** Sends one message; `onAcknowledged` when the server has said that it is on disk. */
  send(clientMsgId: string, onAcknowledged: () => void): void;
  /** Set by who drives the load: the receiver got this message. */
  onReceived: (clientMsgId: string) => void;
}
