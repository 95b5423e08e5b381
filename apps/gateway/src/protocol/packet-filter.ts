import { EventRateLimiter } from './event-rate-limiter.js';

/**
 * Packets that a connection may send for each event that it may: pongs and acknowledgements of frames are packets,
 * too, and a client that floods is told so before it is closed.
 */
const PACKETS_PER_EVENT = 2;
const BURST_SECONDS = 10;

/** Packet types of the Socket.IO protocol, the first character of a text. */
const CONNECT = '0';
const WITH_BYTES = new Set(['5', '6']);
/** No kind has bytes; one attachment is taken so that its event can be answered. More would be kept until all came. */
const ONE_ATTACHMENT = '1-';
/** Characters of such an event: it waits for its bytes for as long as the connection lasts. */
const MAX_TEXT_WITH_BYTES = 4_096;

/**
 * Judges the packets of one connection before they are parsed, whether or not it has said who it is. What an honest
 * client cannot send ends the connection.
 */
export class PacketFilter {
  private readonly flood: EventRateLimiter;
  private hasConnected = false;

  /**
   * @param eventsPerSecond - what one connection may send
   * @param now - clock, milliseconds
   */
  constructor(eventsPerSecond: number, now: () => number) {
    const perSecond = eventsPerSecond * PACKETS_PER_EVENT;
    this.flood = new EventRateLimiter({ perSecond, burst: perSecond * BURST_SECONDS, patience: 0 }, now);
  }

  /** May the connection go on? `data` is what a `message` packet carries. */
  accepts(type: string, data: unknown): boolean {
    if (this.flood.consume() !== 'pass') return false;
    return type !== 'message' || typeof data !== 'string' || this.admitsText(data);
  }

  private admitsText(text: string): boolean {
    const type = text.charAt(0);
    if (WITH_BYTES.has(type)) return text.length <= MAX_TEXT_WITH_BYTES && text.startsWith(ONE_ATTACHMENT, 1);
    if (type !== CONNECT) return true;
    // A second one while the first is being checked would make a second session of one connection.
    const isFirst = !this.hasConnected;
    this.hasConnected = true;
    return isFirst;
  }
}
