import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Hello, ReconnectAdvice } from '@family-watch/domain/messages/contracts/socket-events';
import { DeliveryAckTracker, type DeliveryAck } from '../mailbox/delivery-ack-tracker.js';
import type { DurableRange, MailboxSession } from '../mailbox/mailbox-entry.js';
import { recordFrame } from './socket-metrics.js';

/** The latest value of a key, and a function that returns whether the recipient may still see this value. */
interface LatestMessage {
  message: MessageEnvelope;
  isAllowed: () => boolean;
}

/** Maximum number of ephemeral messages that wait for a slow client; the oldest are dropped first. */
const MAX_EPHEMERAL_MESSAGES = 200;

/**
 * Unsent data of one socket: contiguous ranges of durable messages, the latest value of each key, and ephemeral
 * messages.
 */
export class OutboundQueue {
  private durable: MessageEnvelope[] = [];
  private ephemeral: MessageEnvelope[] = [];
  private readonly latest = new Map<string, LatestMessage>();
  private readThrough: number;
  private sentThrough: number;

  /** @param from - sequence number of the last durable message that the client has */
  constructor(from: number) {
    this.readThrough = from;
    this.sentThrough = from;
  }

  /** Returns whether the durable messages up to `seq` have been drained. */
  hasDrained(seq: number): boolean {
    return this.sentThrough >= seq;
  }

  /** Sequence number up to which ranges were added. */
  get addedThrough(): number {
    return this.readThrough;
  }

  /** Number of durable messages that were added and not drained yet. */
  get durableCount(): number {
    return this.durable.length;
  }

  get isEmpty(): boolean {
    return this.durable.length + this.ephemeral.length + this.latest.size === 0;
  }

  /**
   * Adds the range that starts after {@link addedThrough}. An empty range becomes part of the next range that has
   * messages.
   */
  addRange({ addedThrough, messages }: DurableRange): void {
    this.readThrough = addedThrough;
    this.durable.push(...messages);
  }

  /**
   * Discards unsent durable messages and sets {@link addedThrough} back to the last sequence number sent, so that
   * the discarded messages are read again.
   */
  discardUnsent(): void {
    if (this.durable.length === 0) return;
    this.durable = [];
    this.readThrough = this.sentThrough;
  }

  /**
   * Adds the latest value of `key`, or replaces the unsent value of `key`; `isAllowed` is evaluated when the value is
   * sent.
   */
  addLatest(key: string, message: MessageEnvelope, isAllowed: () => boolean): void {
    // The latest value moves to the end: keys are ordered by their last change.
    this.latest.delete(key);
    this.latest.set(key, { message, isAllowed });
  }

  addEphemeral(message: MessageEnvelope): void {
    this.ephemeral.push(message);
    if (this.ephemeral.length > MAX_EPHEMERAL_MESSAGES) this.ephemeral.shift();
  }

  /** Returns everything unsent as one frame, or `undefined` if nothing is unsent. */
  drain(): MessagesFrame | undefined {
    const latest = [...this.latest.values()].filter(({ isAllowed }) => isAllowed());
    const messages = [...this.durable, ...latest.map(({ message }) => message), ...this.ephemeral];
    const range = this.durable.length > 0 ? { after: this.sentThrough, through: this.readThrough } : {};
    if (this.durable.length > 0) this.sentThrough = this.readThrough;
    this.durable = [];
    this.ephemeral = [];
    this.latest.clear();
    return messages.length > 0 ? { ...range, messages } : undefined;
  }
}

/** The principal of a connection and the validity of its token; a token refresh changes `issuedAt` and `expiresAt`. */
export interface ConnectionIdentity {
  readonly principal: Principal;
  /** Unix milliseconds. */
  issuedAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Reads durable messages after `after`, up to `through` or up to the size limit of one range. */
export type DurableReader = (reader: MailboxSession, after: number, through: number) => Promise<DurableRange>;

export interface ConnectionLimits {
  /** Number of bytes buffered for the network above which the connection sends nothing until the buffer is empty. */
  highWaterBytes: number;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  stallMs: number;
  /** Milliseconds before a failed mailbox read is retried. */
  retryMs: number;
}

/**
 * Maximum number of durable messages that wait for the end of the event-loop turn. Messages above this number
 * are read from the mailbox when they can be sent.
 */
const MAX_UNSENT_MESSAGES = 100;

const CONNECTION_LIMITS: ConnectionLimits = { highWaterBytes: 512 * 1_024, stallMs: 5_000, retryMs: 1_000 };

/**
 * Delivers `hello` to one socket, then the durable messages after the client's cursor, then new messages, as contiguous
 * ranges. A range that directly follows the messages already queued is accepted from the notification. All other
 * messages are read from the mailbox, so a lost notification delays messages but never loses them.
 */
export class Connection {
  readonly key: PrincipalKey;
  readonly reader: MailboxSession;
  private queue: OutboundQueue | undefined;
  private ackTracker: DeliveryAckTracker | undefined;
  private knownHead = 0;
  private isReading = false;
  private isFlushing = false;
  private isStalled = false;
  private closed = false;
  private readonly connectedAt = Date.now();
  private frameListener: (() => void) | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private stallTimer: NodeJS.Timeout | undefined;

  constructor(
    readonly identity: ConnectionIdentity,
    private readonly channel: Channel,
    private readonly read: DurableReader,
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
  ) {
    this.key = principalKey(identity.principal);
    this.reader = { key: this.key, session: identity.principal.sessionId };
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Highest sequence number in the mailbox that this connection has been notified of. */
  get head(): number {
    return this.knownHead;
  }

  /** Number of messages in the mailbox that this connection has been notified of and that are not queued. */
  get unsentCount(): number {
    return this.queue ? Math.max(0, this.knownHead - this.queue.addedThrough) + this.queue.durableCount : 0;
  }

  /** Sends `hello` and starts delivery after sequence number `from`. */
  start(hello: Hello, from: number): void {
    if (this.closed) return;
    this.queue = new OutboundQueue(from);
    this.ackTracker = new DeliveryAckTracker(this.key, from);
    this.channel.hello(hello);
    this.notifyHead(hello.head);
  }

  /** Raises the known head of the mailbox and reads the missing messages. */
  notifyHead(head: number): void {
    if (head > this.knownHead) this.knownHead = head;
    if (this.queue && !this.isReading && this.knownHead > this.queue.addedThrough) void this.readMissing(this.queue);
  }

  /**
   * Returns whether the messages up to exactly `after` have been queued, no read is running and the client reads fast
   * enough.
   */
  isCaughtUpTo(after: number): boolean {
    const { queue } = this;
    if (queue?.addedThrough !== after || this.isReading || this.isStalled || this.closed) return false;
    return queue.durableCount < MAX_UNSENT_MESSAGES && this.channel.bufferedBytes <= this.limits.highWaterBytes;
  }

  /**
   * Queues the range that directly follows the messages queued so far. Requires that {@link isCaughtUpTo} returns true.
   */
  acceptRange(range: DurableRange): void {
    if (range.addedThrough > this.knownHead) this.knownHead = range.addedThrough;
    this.queue?.addRange(range);
    this.scheduleFlush();
  }

  /**
   * Creates the acknowledgement of all messages up to `seq`, with the conversation messages among them if the tracker
   * still has them.
   */
  acknowledge(seq: number): DeliveryAck {
    const recordedDelivery = this.ackTracker?.acknowledge(seq);
    return { principal: this.key, seq, ...(recordedDelivery ? { recordedDelivery } : {}) };
  }

  /**
   * Queues the latest value of `key`, replacing an unsent value of `key`. `isAllowed` is evaluated when the value is
   * sent.
   */
  queueLatest(key: string, message: MessageEnvelope, isAllowed: () => boolean): void {
    this.queue?.addLatest(key, message, isAllowed);
    this.scheduleFlush();
  }

  queueEphemeral(message: MessageEnvelope): void {
    this.queue?.addEphemeral(message);
    this.scheduleFlush();
  }

  close(reason: CloseReason): void {
    if (this.closed) return;
    this.onClosed();
    this.channel.close(reason);
  }

  /**
   * Calls `listener` once: at once if the messages up to `seq` have been sent, otherwise when the next frame has been
   * sent, or when another listener replaces it or the connection closes.
   */
  onceSent(seq: number, listener: () => void): void {
    this.endFrameListener();
    if (this.closed || this.queue?.hasDrained(seq)) listener();
    else this.frameListener = listener;
  }

  /** Stops all work; called when either side has closed the connection. */
  onClosed(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearTimeout(this.stallTimer);
    this.endFrameListener();
  }

  /**
   * Reads one range at a time, and the next range only after the previous one was sent, so that a slow client occupies
   * little memory.
   */
  private async readMissing(queue: OutboundQueue): Promise<void> {
    this.isReading = true;
    try {
      while (!this.closed && this.knownHead > queue.addedThrough && !this.isFlushing) {
        const range = await this.read(this.reader, queue.addedThrough, this.knownHead);
        queue.addRange(range);
        this.scheduleFlush();
      }
    } catch {
      // The error is not logged here, because the mailbox reader has logged it. The messages remain in the mailbox, so
      // a later read delivers them.
      clearTimeout(this.retryTimer);
      if (!this.closed) this.retryTimer = setTimeout(() => this.notifyHead(this.knownHead), this.limits.retryMs);
    } finally {
      this.isReading = false;
    }
  }

  /** Sends all messages that are queued in one turn of the event loop as one frame. */
  private scheduleFlush(): void {
    if (this.isFlushing || this.closed || !this.queue || this.queue.isEmpty) return;
    this.isFlushing = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    if (this.closed || !this.queue) return;
    if (this.channel.bufferedBytes > this.limits.highWaterBytes) return this.waitForDrain();
    this.isFlushing = false;
    const frame = this.queue.drain();
    if (frame) this.sendFrame(frame);
    this.notifyHead(this.knownHead);
  }

  private sendFrame(frame: MessagesFrame): void {
    this.channel.messages(frame);
    this.ackTracker?.add(frame);
    recordFrame(frame, this.connectedAt);
    if (this.frameListener) this.endFrameListener();
  }

  private endFrameListener(): void {
    this.frameListener?.();
    this.frameListener = undefined;
  }

  private waitForDrain(): void {
    this.isStalled = true;
    this.stallTimer = setTimeout(() => this.close('slow reader'), this.limits.stallMs);
    this.channel.onceDrained(() => {
      clearTimeout(this.stallTimer);
      this.isStalled = false;
      // Membership may have changed while messages waited, so unsent messages are read and checked again.
      this.queue?.discardUnsent();
      this.flush();
    });
  }
}

/**
 * Reason for which the service closes a connection. After a final reason, a connection with the same token would be
 * rejected again. After any other reason, the client may reconnect with the same token.
 */
export type CloseReason =
  | 'token expired'
  | 'token revoked'
  | 'flood'
  | 'slow reader'
  | 'revocations stale'
  | 'unavailable'
  | 'shutting down';

const FINAL_CLOSE_REASONS: readonly CloseReason[] = ['token expired', 'token revoked', 'flood'];

export function isFinalCloseReason(reason: CloseReason): boolean {
  return FINAL_CLOSE_REASONS.includes(reason);
}

/** Port: transport of one connection. */
export interface Channel {
  /** Bytes that the service has sent and the network has not accepted yet. */
  readonly bufferedBytes: number;
  hello(hello: Hello): void;
  messages(frame: MessagesFrame): void;
  /** Calls back once, when the network has accepted everything sent so far; never after the connection has closed. */
  onceDrained(callback: () => void): void;
  close(reason: CloseReason): void;
}

/** Connections per second that the clients of a lost node may open on other nodes. */
const MAX_RECONNECTS_PER_SECOND = 2_000;
const MIN_RECONNECT_DELAY_MS = 100;
/** Length of the range of reconnect delays for a node without connections; each connection extends the range. */
const MIN_RECONNECT_DELAY_RANGE_MS = 300;
/** Maximum delay before a client reconnects, regardless of the number of clients. */
const MAX_RECONNECT_DELAY_MS = 30_000;

/** Returns the range of the random reconnect delay for the clients of a node that closes this many connections. */
export function reconnectAdvice(connections: number): ReconnectAdvice {
  const delayRangeMs = MIN_RECONNECT_DELAY_RANGE_MS + Math.ceil((connections * 1_000) / MAX_RECONNECTS_PER_SECOND);
  return {
    minDelay: MIN_RECONNECT_DELAY_MS,
    maxDelay: Math.min(MAX_RECONNECT_DELAY_MS, MIN_RECONNECT_DELAY_MS + delayRangeMs),
  };
}
