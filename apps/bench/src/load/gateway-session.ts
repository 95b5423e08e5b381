import { Backoff } from '@family-watch/client/socket/backoff';
import { CumulativeAck } from '@family-watch/client/socket/cumulative-ack';
import { MailboxCursor } from '@family-watch/client/socket/mailbox-cursor';
import type {
  ChatTextPayload,
  ChatSendResult,
  WithConversationSeq,
} from '@family-watch/domain/messages/contracts/chat';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { EventResponse, Hello } from '@family-watch/domain/messages/contracts/socket-events';
import type { ReceivedMessage, SentMessage, SessionEvent } from '../checker/history.js';
import { isTextOf, textOf } from './message-text.js';
import type { Recorder } from './recorder.js';
import { SocketIoConnection } from './socket-io-connection.js';
import type { ServerEndpoint } from './websocket.js';

export interface GatewaySessionOptions {
  name: string;
  endpoint: ServerEndpoint;
  token: string;
  recorder: Recorder;
  /** JSON text; an app's is empty. */
  heartbeat?: string;
  /** Conversations in which others write to this session. */
  reads?: string[];
}

interface Outstanding {
  payload: string;
  record: SentMessage;
  onAcknowledged: () => void;
}

const REFUSED_PAUSE_MS = 100;

/**
 * A session that behaves as the SDK's `GatewayClient` does, with its own classes for position, acknowledgement and
 * backoff, over a lean connection: it resumes with `last`, acknowledges cumulatively, one acknowledgement at a time,
 * and sends what was not answered again under the same clientMsgId.
 */
export class GatewaySession {
  onMessage: (clientMsgId: string) => void = () => undefined;
  /** Messages that the service refused for now; they are sent again. */
  refused = 0;
  reconnects = 0;
  readonly reasons = new Map<string, number>();
  private readonly position = new MailboxCursor();
  private readonly acknowledgement = new CumulativeAck((seq) => this.acknowledge(seq));
  private readonly backoff = new Backoff();
  private readonly outstanding = new Map<string, Outstanding>();
  private readonly events: SessionEvent[];
  private connection: SocketIoConnection | undefined;
  private greeted: Hello | undefined;
  private wanted = false;
  private heartbeat: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  private whenGreeted: ((hello: Hello) => void)[] = [];

  constructor(private readonly options: GatewaySessionOptions) {
    this.events = options.recorder.openSessionHistory(options.name, options.reads ?? []);
  }

  /** Number of the last durable message that has arrived. */
  get last(): number {
    return this.position.stored?.last ?? 0;
  }

  get unanswered(): number {
    return this.outstanding.size;
  }

  /** Connects and stays connected; resolves with the next greeting. */
  open(): Promise<Hello> {
    this.wanted = true;
    const greeting = new Promise<Hello>((resolve) => this.whenGreeted.push(resolve));
    void this.connect();
    return greeting;
  }

  /** Goes away without a word, as a phone in a tunnel does; `open` comes back with what was read. */
  close(): void {
    this.wanted = false;
    clearTimeout(this.retry);
    this.connection?.close();
  }

  send(conversationId: string, clientMsgId: string, onAcknowledged: () => void): void {
    const text: ChatTextPayload = { clientMsgId, conversationId, text: textOf(clientMsgId) };
    const record = this.options.recorder.recordSent(this.options.name, clientMsgId, conversationId);
    this.outstanding.set(clientMsgId, { payload: JSON.stringify(text), record, onAcknowledged });
    this.transmit(clientMsgId);
  }

  private transmit(clientMsgId: string): void {
    const message = this.outstanding.get(clientMsgId);
    if (!message || !this.greeted) return;
    this.connection?.emit('ChatTextMessage', message.payload, (given) => {
      const answer = given as EventResponse<ChatSendResult>;
      if (!answer.ok) {
        this.noteRefusal(answer.reason);
        setTimeout(() => this.transmit(clientMsgId), REFUSED_PAUSE_MS);
        return;
      }
      this.outstanding.delete(clientMsgId);
      message.record.answers.push({ id: answer.id, conversationSeq: answer.conversationSeq });
      message.onAcknowledged();
    });
  }

  private noteRefusal(reason: string): void {
    this.refused += 1;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  private async connect(): Promise<void> {
    const { endpoint, token } = this.options;
    try {
      const connection = await SocketIoConnection.open(endpoint, { token, ...this.position.stored });
      if (!this.wanted) {
        connection.close();
        return;
      }
      this.connection = connection;
      connection.onEvent = (event, argument) => {
        if (event === 'messages') this.onFrame(argument as MessagesFrame);
        else if (event === 'hello') this.onHello(argument as Hello);
      };
      connection.onClose = () => this.onLost();
      if (connection.isClosed) this.onLost();
    } catch (error) {
      this.noteRefusal(String(error));
      this.reconnect();
    }
  }

  private onHello(hello: Hello): void {
    const last = this.position.stored?.last;
    const reset = hello.reset === true;
    this.events.push({ type: 'hello', head: hello.head, reset, ...(last === undefined ? {} : { last }) });
    if (this.position.onHello(hello) === 'restarted') this.acknowledgement.reset();
    this.backoff.reset();
    this.greeted = hello;
    this.heartbeat = setInterval(() => this.beat(), hello.heartbeatInterval * 1_000);
    this.beat();
    this.acknowledgement.resend();
    for (const clientMsgId of this.outstanding.keys()) this.transmit(clientMsgId);
    const waiting = this.whenGreeted;
    this.whenGreeted = [];
    for (const resolve of waiting) resolve(hello);
  }

  private onFrame({ after, through, messages }: MessagesFrame): void {
    const chat = messages.filter(({ kind }) => kind === 'ChatTextMessage').map(received);
    const range = after === undefined || through === undefined ? undefined : { after, through };
    if (range || chat.length > 0) this.events.push({ type: 'frame', ...(range ? { range } : {}), messages: chat });
    if (this.position.accept({ after, through }) === 'gap') {
      this.connection?.close();
      return;
    }
    for (const { clientMsgId } of chat) this.onMessage(clientMsgId);
    if (through !== undefined) this.acknowledgement.advance(through);
  }

  /** Never settles when the connection is lost: then `onLost` ends it. */
  private acknowledge(seq: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.greeted || !this.connection) {
        reject(new Error('There is no connection'));
        return;
      }
      this.lostAcknowledgement = () => reject(new Error('The connection was lost'));
      this.connection.emit('AckMessage', `{"seq":${seq}}`, (answer) => {
        if ((answer as EventResponse).ok) resolve();
        else reject(new Error('refused'));
      });
    });
  }

  private lostAcknowledgement: () => void = () => undefined;

  private onLost(): void {
    this.greeted = undefined;
    this.connection = undefined;
    clearInterval(this.heartbeat);
    this.lostAcknowledgement();
    if (!this.wanted) return;
    this.reconnects += 1;
    this.reconnect();
  }

  private reconnect(): void {
    if (this.wanted) this.retry = setTimeout(() => void this.connect(), this.backoff.nextDelay());
  }

  private beat(): void {
    this.connection?.emit('HeartbeatMessage', this.options.heartbeat ?? '{}', () => undefined);
  }
}

function received({ id, seq = 0, payload }: MessageEnvelope): ReceivedMessage {
  const { clientMsgId, conversationId, conversationSeq, text } = payload as WithConversationSeq<ChatTextPayload>;
  return { id, seq, conversationId, conversationSeq, clientMsgId, intact: isTextOf(text, clientMsgId) };
}
