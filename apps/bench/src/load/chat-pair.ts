/** A sender and a receiver of one conversation, independent of the server. */
export interface ChatPair {
  /** Sends a message. Calls `onAcknowledged` when the server has confirmed that the message is durable. */
  send(clientMsgId: string, onAcknowledged: () => void): void;
  /** Callback of the load generator, called when the receiver has received a message. */
  onReceived: (clientMsgId: string) => void;
}
