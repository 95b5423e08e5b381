import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type { DurableRange } from '../mailbox/mailbox-entry.js';

/** A latest value, and a function that returns whether the recipient may still see the value. */
interface LatestMessage {
  message: MessageEnvelope;
  isAllowed: () => boolean;
}

/** Maximum number of ephemeral messages that wait for a slow client; the oldest are dropped first. */
const MAX_EPHEMERAL_MESSAGES = 200;

/** Unsent data of one socket: contiguous ranges of durable messages, latest values, and ephemeral messages. */
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
   * Discards unsent durable messages and sets {@link addedThrough} back to the last number sent, so that they are read
   * again.
   */
  discardUnsent(): void {
    if (this.durable.length === 0) return;
    this.durable = [];
    this.readThrough = this.sentThrough;
  }

  /**
   * Adds a latest value, or replaces the unsent value with the same key; `isAllowed` is evaluated when the value is
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
