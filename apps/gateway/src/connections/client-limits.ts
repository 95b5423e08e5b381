export interface RateLimits {
  /** Average number of events per second that a connection may send. */
  perSecond: number;
  /** Number of events that may arrive without a pause between them. */
  burst: number;
  /** Number of rejected events before the connection is closed; reset when the token bucket is full again. */
  maxRejections: number;
}

export type RateLimitDecision = 'pass' | 'reject' | 'close';

/** Limits the client events of one connection by a token bucket. */
export class EventRateLimiter {
  private tokens: number;
  private rejections = 0;
  private refilledAt: number;

  /** @param now - returns the current time in milliseconds */
  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number,
  ) {
    this.tokens = limits.burst;
    this.refilledAt = now();
  }

  /** Counts one event and decides whether it passes, is rejected or closes the connection. */
  consume(): RateLimitDecision {
    const { perSecond, burst, maxRejections } = this.limits;
    const now = this.now();
    this.tokens = Math.min(burst, this.tokens + (Math.max(0, now - this.refilledAt) * perSecond) / 1_000);
    this.refilledAt = now;
    if (this.tokens >= burst) this.rejections = 0;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 'pass';
    }
    this.rejections += 1;
    return this.rejections > maxRejections ? 'close' : 'reject';
  }
}

/** Bytes per permitted event that a connection may send on average. Events of correct clients are much smaller. */
const BYTES_PER_EVENT = 1_024;
/** Bytes that a connection may send without a pause; four frames of the maximum size. */
const BURST_BYTES = 256 * 1_024;

/**
 * Limits the bytes that are read from one connection. A client that sends more is not rejected: its bytes wait in its
 * own TCP connection, so it takes no more memory and processor time of the node than others.
 */
export class ReadPacer {
  private readonly bytesPerSecond: number;
  private bytes = BURST_BYTES;
  private refilledAt: number;

  /**
   * @param eventsPerSecond - event limit of one connection
   * @param now - returns the current time in milliseconds
   */
  constructor(
    eventsPerSecond: number,
    private readonly now: () => number,
  ) {
    this.bytesPerSecond = eventsPerSecond * BYTES_PER_EVENT;
    this.refilledAt = now();
  }

  /** Counts received bytes. @returns milliseconds for which nothing may be read, 0 if more may be read at once */
  consume(received: number): number {
    const now = this.now();
    const refill = (Math.max(0, now - this.refilledAt) * this.bytesPerSecond) / 1_000;
    this.bytes = Math.min(BURST_BYTES, this.bytes + refill) - received;
    this.refilledAt = now;
    return Math.max(0, (-this.bytes * 1_000) / this.bytesPerSecond);
  }
}

/**
 * Number of packets that a client may send per permitted event. Pongs and acknowledgements of frames are packets too,
 * and a client that exceeds the event limit must receive the error before its connection is closed.
 */
const PACKETS_PER_EVENT = 2;
/** Length of a burst in seconds: a client may send the packets permitted in this time without a pause. */
const BURST_SECONDS = 10;

/** Packet types of the Socket.IO protocol, which are the first character of a text packet. */
const CONNECT_PACKET_TYPE = '0';
const BINARY_PACKET_TYPES = new Set(['5', '6']);
/**
 * Text after the type of a binary packet with one attachment. No message kind is binary. A packet with one attachment
 * is accepted so that its event can be rejected with a response; more attachments would be buffered until all have
 * arrived.
 */
const ONE_ATTACHMENT = '1-';
/**
 * Maximum number of characters of an event with an attachment: Socket.IO buffers the event until the attachment
 * arrives, possibly as long as the connection is open.
 */
const MAX_BINARY_EVENT_CHARACTERS = 4_096;

/**
 * Filters the packets of one connection before parsing and authentication. A packet that a correct client cannot send
 * closes the connection.
 */
export class PacketFilter {
  private readonly rateLimiter: EventRateLimiter;
  private hasConnected = false;

  /**
   * @param eventsPerSecond - event limit of one connection
   * @param now - returns the current time in milliseconds
   */
  constructor(eventsPerSecond: number, now: () => number) {
    const perSecond = eventsPerSecond * PACKETS_PER_EVENT;
    this.rateLimiter = new EventRateLimiter({ perSecond, burst: perSecond * BURST_SECONDS, maxRejections: 0 }, now);
  }

  /** Returns whether the connection may continue. `data` is the content of a `message` packet. */
  accepts(type: string, data: unknown): boolean {
    if (this.rateLimiter.consume() !== 'pass') return false;
    return type !== 'message' || typeof data !== 'string' || this.acceptsText(data);
  }

  private acceptsText(text: string): boolean {
    const type = text.charAt(0);
    if (BINARY_PACKET_TYPES.has(type))
      return text.length <= MAX_BINARY_EVENT_CHARACTERS && text.startsWith(ONE_ATTACHMENT, 1);
    if (type !== CONNECT_PACKET_TYPE) return true;
    // A second CONNECT while the first is being verified would create a second session on one connection.
    const isFirst = !this.hasConnected;
    this.hasConnected = true;
    return isFirst;
  }
}
