import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';

/** Durable messages of the numbers after the range before it, up to `through`. */
export interface DurableRange {
  addedThrough: number;
  messages: MessageEnvelope[];
}

/** A newest value, and whether its reader may still see it when it leaves. */
interface LatestMessage {
  message: MessageEnvelope;
  isAdmitted: () => boolean;
}

/** Ephemeral messages that may wait for a slow reader; the oldest are dropped first. */
const MAX_EPHEMERAL = 200;

/** What is due to one socket and was not sent yet: ranges in order, newest values, and what need not arrive. */
export class OutboundQueue {
  private durable: MessageEnvelope[] = [];
  private ephemeral: MessageEnvelope[] = [];
  private readonly latest = new Map<string, LatestMessage>();
  private readThrough: number;
  private sentThrough: number;

  /** @param from - number of the last durable message that the client has */
  constructor(from: number) {
    this.readThrough = from;
    this.sentThrough = from;
  }

  /** Number up to which ranges were added. */
  get addedThrough(): number {
    return this.readThrough;
  }

  /** Durable messages that were added and not taken yet. */
  get durableCount(): number {
    return this.durable.length;
  }

  get isEmpty(): boolean {
    return this.durable.length + this.ephemeral.length + this.latest.size === 0;
  }

  /** Adds what follows {@link addedThrough}. A range without messages is told together with the next that has some. */
  addRange({ addedThrough, messages }: DurableRange): void {
    this.readThrough = addedThrough;
    this.durable.push(...messages);
  }

  /** Goes back to what was sent: the durable messages that wait are to be read again. */
  discardUnsent(): void {
    if (this.durable.length === 0) return;
    this.durable = [];
    this.readThrough = this.sentThrough;
  }

  /** Replaces a value of the same key that was not sent yet; `isAdmitted` is asked when it leaves. */
  addLatest(key: string, message: MessageEnvelope, isAdmitted: () => boolean): void {
    // The newest value also goes to the end: order among keys is order of change.
    this.latest.delete(key);
    this.latest.set(key, { message, isAdmitted });
  }

  addEphemeral(message: MessageEnvelope): void {
    this.ephemeral.push(message);
    if (this.ephemeral.length > MAX_EPHEMERAL) this.ephemeral.shift();
  }

  /** Everything in one frame, or nothing if there is nothing. */
  drain(): MessagesFrame | undefined {
    const latest = [...this.latest.values()].filter(({ isAdmitted }) => isAdmitted());
    const messages = [...this.durable, ...latest.map(({ message }) => message), ...this.ephemeral];
    const range = this.durable.length > 0 ? { after: this.sentThrough, through: this.readThrough } : {};
    if (this.durable.length > 0) this.sentThrough = this.readThrough;
    this.durable = [];
    this.ephemeral = [];
    this.latest.clear();
    return messages.length > 0 ? { ...range, messages } : undefined;
  }
}
