/** A sender and a receiver of one conversation, independent of the server. */
export interface ChatPair {
  /** Sends a message. Calls `onAcknowledged` when the server has confirmed that the message is durable. */
  send(clientMsgId: string, onAcknowledged: () => void): void;
  /** Called when the receiver has received a message. The load generator sets it. */
  onReceived: (clientMsgId: string) => void;
}
