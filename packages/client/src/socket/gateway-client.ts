import { io, type Socket } from 'socket.io-client';
import type { MessagesFrame, MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { HeartbeatPayload } from '@family-watch/domain/messages/contracts/payloads';
import type {
  EventResponse,
  HandshakeErrorData,
  Hello,
  ReconnectAdvice,
  SocketAuth,
} from '@family-watch/domain/messages/contracts/socket-events';
import { ApiError, NetworkError } from '../api-error.js';
import type { AccessToken, TokenSource } from '../tokens/token-source.js';
import { Backoff } from './backoff.js';
import { CumulativeAck } from './cumulative-ack.js';
import type { ClientEvent, DeliveredMessage, SuccessResponseTo, SentPayload } from './delivered-payloads.js';
import { AsyncEventEmitter } from './async-event-emitter.js';
import { MailboxCursor, type StoredCursor } from './mailbox-cursor.js';
import { TokenRefreshTimer } from './token-refresh-timer.js';

export interface GatewayClientOptions {
  /** Base URL of the service. */
  url: string;
  tokens: TokenSource;
  /**
   * Cursor that the caller stored in an earlier run. If `cursor` is omitted, the client resumes at the cursor that the
   * service stores for the session.
   */
  cursor?: StoredCursor;
  /** Returns the payload of a heartbeat; by default the payload is empty, as apps send it. */
  heartbeat?: () => HeartbeatPayload;
  /** Response timeout of an event in milliseconds; 10,000 by default. */
  responseTimeout?: number;
}

/** Events of the connection, and the values that their callbacks receive. */
export interface ConnectionEvents {
  /** The client is connected and has received `hello`; emitted after each reconnection as well. */
  connected: Hello;
  /** The connection was lost; the value is the reason that Socket.IO reports. The client reconnects automatically. */
  disconnected: string;
  /**
   * All messages up to this cursor have been handled. The app should store the cursor for the next start of the client.
   */
  cursor: StoredCursor;
  /** Frames were missing, as the sequence numbers show. The client reconnects and receives the missing frames. */
  gap: { expected: number; received: number };
  /** A failure after which the client retries, or an error thrown by a callback. */
  error: unknown;
  /** The service rejects this client permanently, and the client does not reconnect. */
  closed: ApiError;
}

type MessageEvents = { [Kind in MessageKind]: DeliveredMessage<Kind> } & { message: DeliveredMessage };

/** Number of consecutive 401 rejections of refreshed tokens after which the client stops reconnecting. */
const MAX_TOKEN_REJECTIONS = 2;
const DEFAULT_RESPONSE_TIMEOUT_MS = 10_000;

/**
 * A session at the gateway. The client reconnects with jitter, resumes at its cursor, refreshes its token without
 * reconnecting, acknowledges the messages that its callbacks have handled, and never skips a durable message.
 */
export class GatewayClient {
  private readonly socket: Socket;
  private readonly cursor: MailboxCursor;
  private readonly connectionEvents = new AsyncEventEmitter<ConnectionEvents>(() => undefined);
  private readonly messages = new AsyncEventEmitter<MessageEvents>((error) => this.emitError(error));
  private readonly acknowledgement = new CumulativeAck((seq) => this.send('AckMessage', { seq }));
  private readonly refreshTimer: TokenRefreshTimer;
  private readonly backoff = new Backoff();
  /** Frames are handled one after the other, so that callbacks run in mailbox order. */
  private frameQueue: Promise<void> = Promise.resolve();
  private connectionWaiters: { resolve: (hello: Hello) => void; reject: (error: Error) => void }[] = [];
  private token: AccessToken | undefined;
  private hello: Hello | undefined;
  private tokenRejections = 0;
  private isStarted = false;
  private closeError: ApiError | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private heartbeatTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: GatewayClientOptions) {
    this.cursor = new MailboxCursor(options.cursor);
    this.refreshTimer = new TokenRefreshTimer(
      options.tokens,
      (token) => this.send('token', { token }),
      (error) => this.emitError(error),
    );
    // Socket.IO does not reconnect itself, because each connection needs the current token and cursor.
    this.socket = io(options.url, {
      path: '/socket.io/',
      transports: ['websocket'],
      autoConnect: false,
      reconnection: false,
      forceNew: true,
    });
    this.socket.on('hello', (hello: Hello) => this.onHello(hello));
    this.socket.on('reconnect', (advice: ReconnectAdvice) => this.backoff.applyAdvice(advice));
    this.socket.on('messages', (frame: MessagesFrame) => this.onFrame(frame));
    this.socket.on('connect_error', (error: Error & { data?: HandshakeErrorData }) => void this.onConnectError(error));
    this.socket.on('disconnect', (reason) => void this.onDisconnect(reason));
  }

  /** Registers a callback for an event of the connection. @returns a function that removes the callback */
  on<Name extends keyof ConnectionEvents>(event: Name, callback: (value: ConnectionEvents[Name]) => unknown) {
    return this.connectionEvents.on(event, callback);
  }

  /**
   * Registers a callback for a message kind, or for all kinds with `message`. A durable message is acknowledged when
   * its callbacks have resolved. If a callback fails, `error` is emitted and the message is not delivered again.
   * @returns a function that removes the callback
   */
  onMessage<Kind extends keyof MessageEvents>(kind: Kind, callback: (message: MessageEvents[Kind]) => unknown) {
    return this.messages.on(kind, callback);
  }

  /** Connects, and reconnects until `stop` is called. Idempotent. */
  start(): void {
    if (this.isStarted || this.closeError) return;
    this.isStarted = true;
    void this.connect();
  }

  stop(): void {
    this.isStarted = false;
    clearTimeout(this.retryTimer);
    this.clearConnectionState();
    this.socket.disconnect();
    this.completeWaiters((waiter) => waiter.reject(new NetworkError('The client was stopped')));
  }

  /**
   * Resolves when the client is connected.
   * @throws ApiError when the service rejects this client permanently; NetworkError when the client is stopped
   */
  whenConnected(): Promise<Hello> {
    if (this.hello) return Promise.resolve(this.hello);
    if (this.closeError) return Promise.reject(this.closeError);
    return new Promise((resolve, reject) => this.connectionWaiters.push({ resolve, reject }));
  }

  /**
   * Sends an event and resolves with its success response. The service responds after it has stored the event.
   * @throws ApiError for an error response; NetworkError if the client is not connected, if the connection is lost
   * before the response, and after the response timeout. After a lost connection or a timeout, it is unknown whether
   * the service has stored the event.
   */
  async send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>> {
    if (!this.hello) throw new NetworkError('Not connected');
    const response = await this.emitWithTimeout(event, payload);
    if (!response.ok) throw ApiError.fromEventResponse(response);
    return response as SuccessResponseTo<Event>;
  }

  private async emitWithTimeout(event: string, payload: unknown): Promise<EventResponse> {
    try {
      const socket = this.socket.timeout(this.options.responseTimeout ?? DEFAULT_RESPONSE_TIMEOUT_MS);
      return (await socket.emitWithAck(event, payload)) as EventResponse;
    } catch (cause) {
      throw new NetworkError(`No response to ${event}`, { cause });
    }
  }

  private async connect(): Promise<void> {
    try {
      this.token = await this.options.tokens.get();
    } catch (error) {
      this.onTokenError(error);
      return;
    }
    if (!this.isStarted) return;
    const auth: SocketAuth = { token: this.token.token, ...this.cursor.stored };
    this.socket.auth = auth;
    this.socket.connect();
  }

  private onHello(hello: Hello): void {
    this.backoff.reset();
    this.backoff.applyAdvice(hello.reconnect);
    this.tokenRejections = 0;
    if (this.cursor.onHello(hello) === 'restarted') this.acknowledgement.reset();
    this.hello = hello;
    if (this.token) this.refreshTimer.start(this.token);
    this.heartbeatTimer = setInterval(() => void this.sendHeartbeat(), hello.heartbeatInterval * 1_000);
    void this.sendHeartbeat();
    this.acknowledgement.resend();
    this.completeWaiters((waiter) => waiter.resolve(hello));
    void this.connectionEvents.emit('connected', hello);
  }

  private onFrame(frame: MessagesFrame): void {
    const expected = this.cursor.stored?.last ?? 0;
    if (this.cursor.accept(frame) === 'gap') {
      void this.connectionEvents.emit('gap', { expected, received: frame.after ?? 0 });
      // After a gap, all later frames of this connection would be out of order.
      this.socket.disconnect();
      return;
    }
    const cursor = frame.through === undefined ? undefined : this.cursor.stored;
    this.frameQueue = this.frameQueue.then(() => this.handleFrame(frame, cursor));
  }

  private async handleFrame(frame: MessagesFrame, cursor: StoredCursor | undefined): Promise<void> {
    for (const message of frame.messages) {
      await this.messages.emit(message.kind, message as never);
      await this.messages.emit('message', message);
    }
    // A cursor of a former epoch must not acknowledge messages of the current epoch.
    if (!cursor || cursor.epoch !== this.cursor.stored?.epoch) return;
    await this.connectionEvents.emit('cursor', cursor);
    this.acknowledgement.markHandled(cursor.last);
  }

  /**
   * Handles a failed handshake. If `error.data` is set, the service rejected the handshake; otherwise the service was
   * unreachable.
   */
  private async onConnectError(error: Error & { data?: HandshakeErrorData }): Promise<void> {
    if (!this.isStarted) return;
    if (!error.data) {
      this.scheduleReconnect(new NetworkError('The gateway cannot be reached', { cause: error }));
      return;
    }
    const rejection = ApiError.fromEventResponse({ ...error.data, message: error.message });
    if (rejection.status === 401) this.tokenRejections += 1;
    if (rejection.status === 403 || this.tokenRejections >= MAX_TOKEN_REJECTIONS) {
      this.close(rejection);
      return;
    }
    if (rejection.status === 401 && !(await this.replaceToken())) return;
    this.scheduleReconnect(rejection);
  }

  private async onDisconnect(reason: string): Promise<void> {
    this.clearConnectionState();
    if (!this.isStarted) return;
    await this.connectionEvents.emit('disconnected', reason);
    // The service disconnects when the token expired or was revoked, or when the client exceeded the rate limit.
    if (reason === 'io server disconnect' && !(await this.replaceToken())) return;
    this.scheduleReconnect();
  }

  /** Requests a new token. If that fails, closes the client or schedules a reconnection, and resolves with false. */
  private async replaceToken(): Promise<boolean> {
    try {
      if (this.token) await this.options.tokens.refresh(this.token.token);
      return true;
    } catch (error) {
      this.onTokenError(error);
      return false;
    }
  }

  private onTokenError(error: unknown): void {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.close(error);
    else this.scheduleReconnect(error);
  }

  private scheduleReconnect(error?: unknown): void {
    if (error !== undefined) this.emitError(error);
    if (!this.isStarted) return;
    clearTimeout(this.retryTimer);
    const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
    this.retryTimer = setTimeout(() => void this.connect(), this.backoff.nextDelay(retryAfter));
  }

  private close(error: ApiError): void {
    this.closeError = error;
    this.isStarted = false;
    clearTimeout(this.retryTimer);
    this.clearConnectionState();
    this.completeWaiters((waiter) => waiter.reject(error));
    void this.connectionEvents.emit('closed', error);
  }

  private clearConnectionState(): void {
    this.hello = undefined;
    this.refreshTimer.stop();
    clearInterval(this.heartbeatTimer);
  }

  private async sendHeartbeat(): Promise<void> {
    try {
      await this.send('HeartbeatMessage', this.options.heartbeat?.() ?? {});
    } catch (error) {
      if (error instanceof ApiError) this.emitError(error);
    }
  }

  private completeWaiters(
    complete: (waiter: { resolve: (hello: Hello) => void; reject: (error: Error) => void }) => void,
  ): void {
    const { connectionWaiters: waiters } = this;
    this.connectionWaiters = [];
    waiters.forEach(complete);
  }

  private emitError(error: unknown): void {
    void this.connectionEvents.emit('error', error);
  }
}
