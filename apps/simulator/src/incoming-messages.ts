import type { DeliveredMessage, GatewayClient } from '@family-watch/client';
import { messageKindsByName, type MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';

/** A message that a client has received over its socket. */
export interface IncomingMessage<Kind extends MessageKind = MessageKind> {
  /** Time of receipt, Unix milliseconds by the clock of this machine. */
  observedAt: number;
  message: DeliveredMessage<Kind>;
}

/** All messages received over a socket, by kind. */
export class IncomingMessages {
  private readonly byKind = new Map<MessageKind, IncomingMessage[]>();

  /**
   * Adds a listener for each message kind. Must be called before other listeners are added, because their work would
   * delay the recorded time of receipt.
   */
  constructor(gateway: GatewayClient) {
    for (const kind of messageKindsByName.keys() as Iterable<MessageKind>) {
      const received: IncomingMessage[] = [];
      this.byKind.set(kind, received);
      gateway.onMessage(kind, (message) => received.push({ observedAt: Date.now(), message }));
    }
  }

  /** Returns the messages of this kind in order of receipt. */
  ofKind<Kind extends MessageKind>(kind: Kind): readonly IncomingMessage<Kind>[] {
    return (this.byKind.get(kind) ?? []) as unknown as IncomingMessage<Kind>[];
  }
}
