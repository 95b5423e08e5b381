import type { ChatPair } from './chat-pair.js';
import type { GatewaySession } from './gateway-session.js';

/** A guardian and a child's watch. The guardian sends messages to the watch through a gateway. */
export class GatewayChatPair implements ChatPair {
  constructor(
    readonly sender: GatewaySession,
    readonly receiver: GatewaySession,
    private readonly conversationId: string,
  ) {}

  set onReceived(callback: (clientMsgId: string) => void) {
    this.receiver.onMessage = callback;
  }

  send(clientMsgId: string, onAcknowledged: () => void): void {
    this.sender.send(this.conversationId, clientMsgId, onAcknowledged);
  }
}
