import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
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
import { MailboxCursor } from './mailbox-cursor.js';
import type { StoredCursor } from './mailbox-cursor.js';
import { TokenRefreshTimer } from './token-refresh-timer.js';

export interface GatewayClientOptions {
  /** Base address of the service. */
  url: string;
  tokens: TokenSource;
  /** Where the mailbox was left at the last start; absent: what the service has stored for the session. */
  cursor?: StoredCursor;
  /** What a heartbeat says; an app's is empty. */
  heartbeat?: () => HeartbeatPayload;
  /** Milliseconds after which an event without an answer counts as lost; ten seconds by default. */
  responseTimeout?: number;
}

/** What happens to the connection. */
export interface ConnectionEvents {
  /** Connected and greeted; also after every reconnection. */
  connected: Hello;
  /** The connection was lost, with Socket.IO's reason; the client comes back by itself. */
  disconnected: string;
  /** Everything up to here has been handled; keep it for the next start. */
  cursor: StoredCursor;
  /** Frames were missing; the client reconnects and gets them again. */
  gap: { expected: number; received: number };
  /** Something failed that will be tried again, or a callback threw. */
  error: unknown;
  /** The service does not want this client any more; it stays away. */
  closed: ApiError;
}

type MessageEvents = { [Kind in MessageKind]: DeliveredMessage<Kind> } & { message: DeliveredMessage };

/** Refusals in a row of tokens that were just renewed, after which asking again is pointless. */
const MAX_REFUSALS = 2;
const DEFAULT_ANSWER_TIMEOUT = 10_000;

/**
 * One session at the gateway, kept alive: it reconnects with jitter, resumes where it stopped, renews its token in
 * place, acknowledges what its callbacks have handled, and never skips a durable message.
 */
export class GatewayClient {
  private readonly socket: Socket;
  private readonly cursor: MailboxCursor;
  private readonly connectionEvents = new AsyncEventEmitter<ConnectionEvents>(() => undefined);
  private readonly messages = new AsyncEventEmitter<MessageEvents>((error) => this.report(error));
  private readonly acknowledgement = new CumulativeAck((seq) => this.send('AckMessage', { seq }));
  private readonly renewal: TokenRefreshTimer;
  private readonly backoff = new Backoff();
  /** Frames are handled one after the other, so that callbacks see the order of the mailbox. */
  private handling: Promise<void> = Promise.resolve();
  private waiting: { resolve: (hello: Hello) => void; reject: (error: Error) => void }[] = [];
  private token: AccessToken | undefined;
  private hello: Hello | undefined;
  private refusals = 0;
  private wanted = false;
  private end: ApiError | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private heartbeatTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: GatewayClientOptions) {
    this.cursor = new MailboxCursor(options.cursor);
    this.renewal = new TokenRefreshTimer(
      options.tokens,
      (token) => this.send('token', { token }),
      (error) => this.report(error),
    );
    // Reconnecting is done here: only here is it known which token and which number to come back with.
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
    this.socket.on('connect_error', (error: Error & { data?: HandshakeErrorData }) => void this.onRefused(error));
    this.socket.on('disconnect', (reason) => void this.onLost(reason));
  }

  /** @returns removes the callback again */
  on<Name extends keyof ConnectionEvents>(event: Name, callback: (value: ConnectionEvents[Name]) => unknown) {
    return this.connectionEvents.on(event, callback);
  }

  /**
   * Calls back for each message of a kind (`message`: of all kinds). A durable message is acknowledged when its
   * callbacks have resolved; one that fails is reported as `problem` and is not delivered again.
   * @returns removes the callback again
   */
  onMessage<Kind extends keyof MessageEvents>(kind: Kind, callback: (message: MessageEvents[Kind]) => unknown) {
    return this.messages.on(kind, callback);
  }

  /** Connects and stays connected. */
  start(): void {
    if (this.wanted || this.end) return;
    this.wanted = true;
    void this.connected();
  }

  stop(): void {
    this.wanted = false;
    clearTimeout(this.retryTimer);
    this.becomeQuiet();
    this.socket.disconnect();
    this.settle((waiting) => waiting.reject(new NetworkError('The client was stopped')));
  }

  /** Resolves when the connection stands. @throws ApiError when the service does not want this client. */
  whenConnected(): Promise<Hello> {
    if (this.hello) return Promise.resolve(this.hello);
    if (this.end) return Promise.reject(this.end);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  /**
   * Resolves with the answer, which the service gives when what was sent is on disk.
   * @throws ApiError for a refusal; NetworkError without a connection, when it is lost before the answer, and
   * when the answer takes too long: it may or may not have been carried out.
   */
  async send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>> {
    if (!this.hello) throw new NetworkError('There is no connection');
    const answer = await this.exchange(event, payload);
    if (!answer.ok) throw ApiError.fromEventResponse(answer);
    return answer as SuccessResponseTo<Event>;
  }

  private async exchange(event: string, payload: unknown): Promise<EventResponse> {
    try {
      const patient = this.socket.timeout(this.options.responseTimeout ?? DEFAULT_ANSWER_TIMEOUT);
      return (await patient.emitWithAck(event, payload)) as EventResponse;
    } catch (cause) {
      throw new NetworkError(`${event} was not answered`, { cause });
    }
  }

  private async connected(): Promise<void> {
    try {
      this.token = await this.options.tokens.get();
    } catch (error) {
      this.onNoToken(error);
      return;
    }
    if (!this.wanted) return;
    const auth: SocketAuth = { token: this.token.token, ...this.cursor.stored };
    this.socket.auth = auth;
    this.socket.connect();
  }

  private onHello(hello: Hello): void {
    this.backoff.reset();
    this.backoff.applyAdvice(hello.reconnect);
    this.refusals = 0;
    if (this.cursor.onHello(hello) === 'restarted') this.acknowledgement.reset();
    this.hello = hello;
    if (this.token) this.renewal.start(this.token);
    this.heartbeatTimer = setInterval(() => void this.beat(), hello.heartbeatInterval * 1_000);
    void this.beat();
    this.acknowledgement.resend();
    this.settle((waiting) => waiting.resolve(hello));
    void this.connectionEvents.emit('connected', hello);
  }

  private onFrame(frame: MessagesFrame): void {
    const expected = this.cursor.stored?.last ?? 0;
    if (this.cursor.accept(frame) === 'gap') {
      void this.connectionEvents.emit('gap', { expected, received: frame.after ?? 0 });
      // What follows in this connection cannot be in order either.
      this.socket.disconnect();
      return;
    }
    const reached = frame.through === undefined ? undefined : this.cursor.stored;
    this.handling = this.handling.then(() => this.handle(frame, reached));
  }

  private async handle(frame: MessagesFrame, reached: StoredCursor | undefined): Promise<void> {
    for (const message of frame.messages) {
      await this.messages.emit(message.kind, message as never);
      await this.messages.emit('message', message);
    }
    // Handled after numbering began anew: an old number would acknowledge what was not read.
    if (!reached || reached.epoch !== this.cursor.stored?.epoch) return;
    await this.connectionEvents.emit('cursor', reached);
    this.acknowledgement.advance(reached.last);
  }

  /** The handshake failed: without `data` nobody answered, with it the service refused. */
  private async onRefused(error: Error & { data?: HandshakeErrorData }): Promise<void> {
    if (!this.wanted) return;
    if (!error.data) {
      this.retry(new NetworkError('The gateway cannot be reached', { cause: error }));
      return;
    }
    const refusal = ApiError.fromEventResponse({ ...error.data, message: error.message });
    if (refusal.status === 401) this.refusals += 1;
    if (refusal.status === 403 || this.refusals >= MAX_REFUSALS) {
      this.finish(refusal);
      return;
    }
    if (refusal.status === 401) await this.replaceToken();
    this.retry(refusal);
  }

  private async onLost(reason: string): Promise<void> {
    this.becomeQuiet();
    if (!this.wanted) return;
    await this.connectionEvents.emit('disconnected', reason);
    // The service closes like this after a token that ended, was revoked, or belonged to a client that flooded.
    if (reason === 'io server disconnect') await this.replaceToken();
    this.retry();
  }

  private async replaceToken(): Promise<void> {
    try {
      if (this.token) await this.options.tokens.refresh(this.token.token);
    } catch (error) {
      this.onNoToken(error);
    }
  }

  private onNoToken(error: unknown): void {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.finish(error);
    else this.retry(error);
  }

  private retry(error?: unknown): void {
    if (error !== undefined) this.report(error);
    if (!this.wanted) return;
    clearTimeout(this.retryTimer);
    const retryAfter = error instanceof ApiError ? error.retryAfter : undefined;
    this.retryTimer = setTimeout(() => void this.connected(), this.backoff.nextDelay(retryAfter));
  }

  private finish(error: ApiError): void {
    this.end = error;
    this.wanted = false;
    clearTimeout(this.retryTimer);
    this.becomeQuiet();
    this.settle((waiting) => waiting.reject(error));
    void this.connectionEvents.emit('closed', error);
  }

  private becomeQuiet(): void {
    this.hello = undefined;
    this.renewal.stop();
    clearInterval(this.heartbeatTimer);
  }

  private async beat(): Promise<void> {
    try {
      await this.send('HeartbeatMessage', this.options.heartbeat?.() ?? {});
    } catch (error) {
      if (error instanceof ApiError) this.report(error);
    }
  }

  private settle(how: (waiting: { resolve: (hello: Hello) => void; reject: (error: Error) => void }) => void): void {
    const { waiting } = this;
    this.waiting = [];
    waiting.forEach(how);
  }

  private report(error: unknown): void {
    void this.connectionEvents.emit('error', error);
  }
}
