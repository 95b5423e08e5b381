import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import type { DeliveredMessage } from '@family-watch/client/socket/delivered-payloads';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { messageKindsByName } from '@family-watch/domain/messages/contracts/message-kinds';

/** A message, and when it came: Unix milliseconds by this machine. */
export interface IncomingMessage<Kind extends MessageKind = MessageKind> {
  at: number;
  message: DeliveredMessage<Kind>;
}

/** What has come over a socket. */
export class IncomingMessages {
  private readonly byKind = new Map<MessageKind, IncomingMessage[]>();

  /** Made before anything else listens to the socket, so that nobody's work delays the time of an arrival. */
  constructor(gateway: GatewayClient) {
    for (const kind of messageKindsByName.keys() as Iterable<MessageKind>) {
      const arrived: IncomingMessage[] = [];
      this.byKind.set(kind, arrived);
      gateway.onMessage(kind, (message) => arrived.push({ at: Date.now(), message: message }));
    }
  }

  /** In the order they came. */
  of<Kind extends MessageKind>(kind: Kind): readonly IncomingMessage<Kind>[] {
    return (this.byKind.get(kind) ?? []) as unknown as IncomingMessage<Kind>[];
  }
}
