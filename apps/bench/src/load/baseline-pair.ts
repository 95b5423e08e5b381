import type { SessionEvent } from '../checker/history.js';
import type { ChatPair } from './chat-pair.js';
import { isTextOfMessage, createMessageText } from './message-text.js';
import type { Recorder } from './recorder.js';
import { SocketIoConnection } from './socket-io-connection.js';
import type { ServerEndpoint } from './websocket.js';

interface BaselineMessage {
  id: string;
  seq: number;
  clientMsgId: string;
  text: string;
}

/** A sender and a receiver on the bare Socket.IO server. */
export class BaselinePair implements ChatPair {
  onReceived: (clientMsgId: string) => void = () => undefined;

  private constructor(
    private readonly sender: SocketIoConnection,
    private readonly receiver: SocketIoConnection,
    private readonly to: string,
    private readonly recorder: Recorder,
  ) {}

  static async open(endpoint: ServerEndpoint, number: number, recorder: Recorder): Promise<BaselinePair> {
    const to = `receiver-${number}`;
    const sender = await SocketIoConnection.open(endpoint, { token: `sender-${number}` });
    const receiver = await SocketIoConnection.open(endpoint, { token: to });
    const pair = new BaselinePair(sender, receiver, to, recorder);
    const events = recorder.openSessionHistory(to, [to]);
    receiver.onEvent = (event, argument) => {
      if (event === 'message') pair.onMessage(argument as BaselineMessage, events);
    };
    return pair;
  }

  send(clientMsgId: string, onAcknowledged: () => void): void {
    const record = this.recorder.recordSent('sender', clientMsgId, this.to);
    const payload = JSON.stringify({ to: this.to, clientMsgId, text: createMessageText(clientMsgId) });
    this.sender.emit('ChatTextMessage', payload, (response) => {
      const { id, seq } = response as BaselineMessage;
      record.acknowledgements.push({ id, conversationSeq: seq });
      onAcknowledged();
    });
  }

  close(): void {
    this.sender.close();
    this.receiver.close();
  }

  private onMessage({ id, seq, clientMsgId, text }: BaselineMessage, events: SessionEvent[]): void {
    const isTextIntact = isTextOfMessage(text, clientMsgId);
    const message = { id, seq, conversationId: this.to, conversationSeq: seq, clientMsgId, isTextIntact };
    events.push({ type: 'frame', messages: [message] });
    this.onReceived(clientMsgId);
  }
}
