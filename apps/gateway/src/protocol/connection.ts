import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type { Hello } from '@family-watch/domain/messages/contracts/socket-events';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { DeliveryAckTracker } from './delivery-ack-tracker.js';
import type { DeliveryAck } from './delivery-ack-tracker.js';
import type { Channel, CloseReason } from './channel.js';
import { OutboundQueue } from './outbound-queue.js';
import type { DurableRange } from './outbound-queue.js';

/** Whose connection it is and how long the token lasts; the times change when the token is renewed. */
export interface ConnectionIdentity {
  readonly principal: Principal;
  /** Unix milliseconds. */
  issuedAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Who reads a mailbox: one session of its principal. */
export interface SessionReader {
  readonly key: PrincipalKey;
  readonly session: string;
}

/** Reads durable messages after `after`, up to `through` or a good deal of them. */
export type DurableReader = (reader: SessionReader, after: number, through: number) => Promise<DurableRange>;

export interface ConnectionLimits {
  /** Bytes buffered for the network from which on nothing more is sent until they have left. */
  highWaterBytes: number;
  /** Milliseconds after which a reader that takes nothing is disconnected. */
  stallMs: number;
  /** Milliseconds before a failed reading of the mailbox is tried again. */
  retryMs: number;
}

/** Durable messages that wait for the end of the turn; from then on they are read from the mailbox when they are due. */
const MAX_UNSENT = 100;

const CONNECTION_LIMITS: ConnectionLimits = { highWaterBytes: 512 * 1_024, stallMs: 5_000, retryMs: 1_000 };

/**
 * Delivery to one socket: `hello`, the durable messages after where the client left off, then what follows, as
 * contiguous ranges. What follows exactly on what was sent is taken as it was stored; everything else is read from the
 * mailbox, so a lost wake-up costs time and no message.
 */
export class Connection {
  readonly key: PrincipalKey;
  readonly reader: SessionReader;
  private queue: OutboundQueue | undefined;
  private arrivals: DeliveryAckTracker | undefined;
  private knownHead = 0;
  private reading = false;
  private flushing = false;
  private stalled = false;
  private closed = false;
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

  /** The newest number in the mailbox that this connection knows of. */
  get head(): number {
    return this.knownHead;
  }

  /** Greets and begins delivery after number `from`. */
  start(hello: Hello, from: number): void {
    if (this.closed) return;
    this.queue = new OutboundQueue(from);
    this.arrivals = new DeliveryAckTracker(this.key, from);
    this.channel.hello(hello);
    this.notifyHead(hello.head);
  }

  /** The mailbox reaches to `head`. */
  notifyHead(head: number): void {
    if (head > this.knownHead) this.knownHead = head;
    if (this.queue && !this.reading && this.knownHead > this.queue.addedThrough) void this.pump(this.queue);
  }

  /** Does delivery stand exactly at number `after`, with nothing being read and a reader that keeps up? */
  isCaughtUpTo(after: number): boolean {
    const { queue } = this;
    if (queue?.addedThrough !== after || this.reading || this.stalled || this.closed) return false;
    return queue.durableCount < MAX_UNSENT && this.channel.bufferedBytes <= this.limits.highWaterBytes;
  }

  /** The range that follows on where delivery stands, see {@link isCaughtUpTo}. */
  acceptRange(range: DurableRange): void {
    if (range.addedThrough > this.knownHead) this.knownHead = range.addedThrough;
    this.queue?.addRange(range);
    this.scheduleFlush();
  }

  /** What of conversations has arrived with this acknowledgement, if it is known here. */
  acknowledge(seq: number): DeliveryAck {
    const known = this.arrivals?.acknowledge(seq);
    return { principal: this.key, seq, ...(known ? { known } : {}) };
  }

  /** A newest value; it replaces one of the same key that was not sent yet. `isAdmitted` is asked when it leaves. */
  offerLatest(key: string, message: MessageEnvelope, isAdmitted: () => boolean): void {
    this.queue?.addLatest(key, message, isAdmitted);
    this.scheduleFlush();
  }

  offerEphemeral(message: MessageEnvelope): void {
    this.queue?.addEphemeral(message);
    this.scheduleFlush();
  }

  close(reason: CloseReason): void {
    if (this.closed) return;
    this.onClosed();
    this.channel.close(reason);
  }

  /** The connection has ended, whoever ended it. */
  onClosed(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearTimeout(this.stallTimer);
  }

  /** Reads one range at a time and the next only when the one before has left, so a slow reader holds little. */
  private async pump(queue: OutboundQueue): Promise<void> {
    this.reading = true;
    try {
      while (!this.closed && this.knownHead > queue.addedThrough && !this.flushing) {
        const range = await this.read(this.reader, queue.addedThrough, this.knownHead);
        queue.addRange(range);
        this.scheduleFlush();
      }
    } catch {
      // The reader has logged it; the mailbox keeps what is due.
      clearTimeout(this.retryTimer);
      if (!this.closed) this.retryTimer = setTimeout(() => this.notifyHead(this.knownHead), this.limits.retryMs);
    } finally {
      this.reading = false;
    }
  }

  /** What is due in one turn of the event loop leaves as one frame. */
  private scheduleFlush(): void {
    if (this.flushing || this.closed || !this.queue || this.queue.isEmpty) return;
    this.flushing = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    if (this.closed || !this.queue) return;
    if (this.channel.bufferedBytes > this.limits.highWaterBytes) return this.waitForReader();
    this.flushing = false;
    const frame = this.queue.drain();
    if (frame) this.sendFrame(frame);
    this.notifyHead(this.knownHead);
  }

  private sendFrame(frame: MessagesFrame): void {
    this.channel.messages(frame);
    this.arrivals?.add(frame);
  }

  private waitForReader(): void {
    this.stalled = true;
    this.stallTimer = setTimeout(() => this.close('slow reader'), this.limits.stallMs);
    this.channel.onceDrained(() => {
      clearTimeout(this.stallTimer);
      this.stalled = false;
      // What was read before the wait was for who was a member then.
      this.queue?.discardUnsent();
      this.flush();
    });
  }
}
