import { Backoff, CumulativeAck, MailboxCursor, type StoredCursor } from '@family-watch/client';
import type {
  ChatTextPayload,
  ChatSendResult,
  WithConversationSeq,
} from '@family-watch/domain/messages/contracts/chat';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { EventResponse, Hello } from '@family-watch/domain/messages/contracts/socket-events';
import type { ReceivedMessage } from '../checker/history.js';
import { isTextOfMessage, createMessageText } from './message-text.js';
import type { SessionRecorder } from './recorder.js';
import { SocketIoConnection } from './socket-io-connection.js';
import type { ServerEndpoint } from './websocket.js';

/** JSON payload of the heartbeats of a watch. */
export const WATCH_HEARTBEAT = JSON.stringify({ battery: 82, charging: false, worn: true, signal: 3, signalMax: 4 });

export interface GatewaySessionOptions {
  name: string;
  endpoint: ServerEndpoint;
  /** Access token, or a function that returns a valid one for each connection. */
  token: string | (() => Promise<string>);
  recorder: SessionRecorder;
  /** Cursor at which the first connection starts; by default, the cursor that the service stores for the session. */
  cursor?: StoredCursor;
  /** Closes the connection, and thus reconnects, if a message has no response after this time. */
  responseTimeoutMs?: number;
  /** JSON payload of heartbeats; by default `{}`, the payload that apps send. */
  heartbeat?: string;
  /** Conversations in which other sessions send messages to this session. */
  readConversationIds?: string[];
}

interface UnacknowledgedMessage {
  payload: string;
  record: ReturnType<SessionRecorder['recordSent']>;
  onAcknowledged: () => void;
}

const REJECTED_RETRY_DELAY_MS = 100;

/**
 * A session that behaves like the SDK's `GatewayClient` over a lightweight connection. The session uses the SDK's
 * classes for cursor, acknowledgement and backoff. The session resumes with `last`, sends cumulative acknowledgements
 * one at a time, and resends unacknowledged messages under the same clientMsgId.
 */
export class GatewaySession {
  onMessage: (clientMsgId: string) => void = () => undefined;
  /** Called with each received message that is not a chat message. */
  onNotice: (message: MessageEnvelope) => void = () => undefined;
  /** Number of rejected requests and failed connection attempts; all are retried. */
  rejections = 0;
  reconnects = 0;
  /** Number of rejections by reason. */
  readonly rejectionReasons = new Map<string, number>();
  private readonly cursor: MailboxCursor;
  private readonly cumulativeAck = new CumulativeAck((seq) => this.acknowledge(seq));
  private readonly backoff = new Backoff();
  private readonly unacknowledged = new Map<string, UnacknowledgedMessage>();
  private readonly events: ReturnType<SessionRecorder['openSessionHistory']>;
  private connection: SocketIoConnection | undefined;
  private hello: Hello | undefined;
  private isOpen = false;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private helloListeners: ((hello: Hello) => void)[] = [];

  constructor(private readonly options: GatewaySessionOptions) {
    this.cursor = new MailboxCursor(options.cursor);
    this.events = options.recorder.openSessionHistory(options.name, options.readConversationIds ?? []);
  }

  /** Sequence number of the last received durable message. */
  get last(): number {
    return this.cursor.stored?.last ?? 0;
  }

  /** Cursor after the last received durable message; undefined before the first `hello`. */
  get position(): StoredCursor | undefined {
    return this.cursor.stored;
  }

  get unacknowledgedCount(): number {
    return this.unacknowledged.size;
  }

  /** Connects and reconnects after a loss until `close`. Resolves with the next `hello`. */
  open(): Promise<Hello> {
    this.isOpen = true;
    const nextHello = new Promise<Hello>((resolve) => this.helloListeners.push(resolve));
    void this.connect();
    return nextHello;
  }

  /** Closes the connection without a protocol message, like a lost network. A later `open` resumes at the cursor. */
  close(): void {
    this.isOpen = false;
    clearTimeout(this.retryTimer);
    this.connection?.close();
  }

  send(conversationId: string, clientMsgId: string, onAcknowledged: () => void): void {
    const text: ChatTextPayload = { clientMsgId, conversationId, text: createMessageText(clientMsgId) };
    const record = this.options.recorder.recordSent(this.options.name, clientMsgId, conversationId);
    this.unacknowledged.set(clientMsgId, { payload: JSON.stringify(text), record, onAcknowledged });
    this.transmit(clientMsgId);
  }

  private transmit(clientMsgId: string): void {
    const message = this.unacknowledged.get(clientMsgId);
    if (!message || !this.hello) return;
    const { connection } = this;
    const { responseTimeoutMs } = this.options;
    const timeout = responseTimeoutMs && setTimeout(() => connection?.close(), responseTimeoutMs);
    connection?.emit('ChatTextMessage', message.payload, (data) => {
      clearTimeout(timeout);
      const response = data as EventResponse<ChatSendResult>;
      if (!response.ok) {
        this.recordRejection(response.reason);
        setTimeout(() => this.transmit(clientMsgId), REJECTED_RETRY_DELAY_MS);
        return;
      }
      this.unacknowledged.delete(clientMsgId);
      message.record.acknowledgements.push({ id: response.id, conversationSeq: response.conversationSeq });
      message.onAcknowledged();
    });
  }

  private recordRejection(reason: string): void {
    this.rejections += 1;
    this.rejectionReasons.set(reason, (this.rejectionReasons.get(reason) ?? 0) + 1);
  }

  private async connect(): Promise<void> {
    const { endpoint, token: given } = this.options;
    try {
      const token = typeof given === 'string' ? given : await given();
      const connection = await SocketIoConnection.open(endpoint, { token, ...this.cursor.stored });
      if (!this.isOpen) {
        connection.close();
        return;
      }
      this.connection = connection;
      connection.onEvent = (event, argument) => {
        if (event === 'messages') this.onFrame(argument as MessagesFrame);
        else if (event === 'hello') this.onHello(argument as Hello);
      };
      connection.onClose = () => this.onConnectionLost();
      if (connection.isClosed) this.onConnectionLost();
    } catch (error) {
      this.recordRejection(String(error));
      this.scheduleReconnect();
    }
  }

  private onHello(hello: Hello): void {
    const last = this.cursor.stored?.last;
    const reset = hello.reset === true;
    this.events.push({ type: 'hello', head: hello.head, reset, ...(last === undefined ? {} : { last }) });
    if (this.cursor.onHello(hello) === 'restarted') this.cumulativeAck.reset();
    this.backoff.reset();
    this.hello = hello;
    this.heartbeatTimer = setInterval(() => this.sendHeartbeat(), hello.heartbeatInterval * 1_000);
    this.sendHeartbeat();
    this.cumulativeAck.resend();
    for (const clientMsgId of this.unacknowledged.keys()) this.transmit(clientMsgId);
    const listeners = this.helloListeners;
    this.helloListeners = [];
    for (const resolve of listeners) resolve(hello);
  }

  private onFrame({ after, through, messages }: MessagesFrame): void {
    const chat = messages.filter(({ kind }) => kind === 'ChatTextMessage').map(toReceivedMessage);
    const range = after === undefined || through === undefined ? undefined : { after, through };
    if (range || chat.length > 0) this.events.push({ type: 'frame', ...(range ? { range } : {}), messages: chat });
    if (this.cursor.accept({ after, through }) === 'gap') {
      this.connection?.close();
      return;
    }
    for (const { clientMsgId } of chat) this.onMessage(clientMsgId);
    for (const message of messages) if (message.kind !== 'ChatTextMessage') this.onNotice(message);
    if (through !== undefined) this.cumulativeAck.markHandled(through);
  }

  /** Sends a cumulative acknowledgement. Rejects when the connection is lost before the response. */
  private acknowledge(seq: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.hello || !this.connection) {
        reject(new Error('Not connected'));
        return;
      }
      this.rejectPendingAck = () => reject(new Error('The connection was lost'));
      this.connection.emit('AckMessage', `{"seq":${seq}}`, (response) => {
        if ((response as EventResponse).ok) resolve();
        else reject(new Error('The acknowledgement was rejected'));
      });
    });
  }

  private rejectPendingAck: () => void = () => undefined;

  private onConnectionLost(): void {
    this.hello = undefined;
    this.connection = undefined;
    clearInterval(this.heartbeatTimer);
    this.rejectPendingAck();
    if (!this.isOpen) return;
    this.reconnects += 1;
    this.scheduleReconnect();
  }

  private scheduleReconnect(): void {
    if (this.isOpen) this.retryTimer = setTimeout(() => void this.connect(), this.backoff.nextDelay());
  }

  private sendHeartbeat(): void {
    this.connection?.emit('HeartbeatMessage', this.options.heartbeat ?? '{}', () => undefined);
  }
}

function toReceivedMessage({ id, seq = 0, payload }: MessageEnvelope): ReceivedMessage {
  const { clientMsgId, conversationId, conversationSeq, text } = payload as WithConversationSeq<ChatTextPayload>;
  return { id, seq, conversationId, conversationSeq, clientMsgId, isTextIntact: isTextOfMessage(text, clientMsgId) };
}
