import type { ChatPair } from './chat-pair.js';
import { createMessageText } from './message-text.js';
import type { XmppConnection } from './xmpp-connection.js';

/** A sender and a receiver on ejabberd. */
export class XmppPair implements ChatPair {
  constructor(
    private readonly sender: XmppConnection,
    private readonly receiver: XmppConnection,
  ) {}

  set onReceived(callback: (clientMsgId: string) => void) {
    this.receiver.onMessage = callback;
  }

  send(clientMsgId: string, onAcknowledged: () => void): void {
    this.sender.send(this.receiver.jid, clientMsgId, createMessageText(clientMsgId), onAcknowledged);
  }

  close(): void {
    this.sender.close();
    this.receiver.close();
  }
}
