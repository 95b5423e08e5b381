import type { ChatPair } from './chat-pair.js';
import { waitUntilDelivered, type LoadProgress } from './closed-loop.js';

const SEND_TIMER_INTERVAL_MS = 1;

/**
 * Sends messages at a fixed rate, independent of the server's responses. Latency counts from the time when a message
 * was due to be sent, so a stall counts for every message that it delays (no coordinated omission).
 */
export class PacedLoad {
  readonly progress: LoadProgress = { sent: 0, acknowledged: 0, received: 0 };
  /** Milliseconds from the time when a message was due to be sent until its acknowledgement. */
  readonly acknowledgementLatencies: number[] = [];
  /** Milliseconds from the time when a message was due to be sent until the receiver had it. */
  readonly receiverLatencies: number[] = [];
  private readonly dueAtById = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;

  /**
   * @param perSecond - messages per second of all pairs together
   * @param label - prefix of this load's client message ids
   */
  constructor(
    private readonly pairs: readonly ChatPair[],
    private readonly perSecond: number,
    private readonly label: string,
  ) {}

  start(): void {
    for (const pair of this.pairs) pair.onReceived = (clientMsgId) => this.onReceived(clientMsgId);
    this.startedAt = performance.now();
    this.timer = setInterval(() => this.sendDue(), SEND_TIMER_INTERVAL_MS);
  }

  /** Discards the measurements so far, for example those of the warm-up. */
  resetMeasurements(): void {
    this.acknowledgementLatencies.length = 0;
    this.receiverLatencies.length = 0;
  }

  /**
   * Stops sending and waits for pending messages.
   *
   * @returns whether all messages were acknowledged and received before the timeout
   */
  finish(timeoutMs: number): Promise<boolean> {
    clearInterval(this.timer);
    return waitUntilDelivered(this.progress, timeoutMs);
  }

  private sendDue(): void {
    const due = Math.floor(((performance.now() - this.startedAt) * this.perSecond) / 1_000);
    while (this.progress.sent < due) {
      const number = this.progress.sent++;
      const pair = this.pairs[number % this.pairs.length] as ChatPair;
      const clientMsgId = `${this.label}-${number}`;
      // The first message is due after one interval.
      const dueAt = this.startedAt + ((number + 1) * 1_000) / this.perSecond;
      this.dueAtById.set(clientMsgId, dueAt);
      pair.send(clientMsgId, () => {
        this.progress.acknowledged += 1;
        this.acknowledgementLatencies.push(performance.now() - dueAt);
      });
    }
  }

  private onReceived(clientMsgId: string): void {
    const dueAt = this.dueAtById.get(clientMsgId);
    if (dueAt === undefined) return;
    this.dueAtById.delete(clientMsgId);
    this.progress.received += 1;
    this.receiverLatencies.push(performance.now() - dueAt);
  }
}
