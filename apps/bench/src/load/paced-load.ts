import type { ChatPair } from './chat-pair.js';
import { untilDone } from './closed-loop.js';
import type { LoadProgress } from './closed-loop.js';

const TICK_MS = 1;

/**
 * Sends at a fixed rate whatever the server does, and measures from the time at which a message was to be sent: a
 * stall is seen by every message that it delays, not by one (no coordinated omission).
 */
export class PacedLoad {
  readonly progress: LoadProgress = { sent: 0, acknowledged: 0, received: 0 };
  /** Milliseconds from the intended time of sending. */
  readonly toAcknowledgement: number[] = [];
  readonly toReceiver: number[] = [];
  private readonly intendedAt = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;

  /** @param perSecond - messages a second over all pairs */
  constructor(
    private readonly pairs: readonly ChatPair[],
    private readonly perSecond: number,
    private readonly label: string,
  ) {}

  start(): void {
    for (const pair of this.pairs) pair.onReceived = (clientMsgId) => this.onReceived(clientMsgId);
    this.startedAt = performance.now();
    this.timer = setInterval(() => this.sendDue(), TICK_MS);
  }

  /** From now on counts; what was measured before was warming up. */
  forgetMeasured(): void {
    this.toAcknowledgement.length = 0;
    this.toReceiver.length = 0;
  }

  /** @returns whether everything was acknowledged and received in time */
  finish(timeoutMs: number): Promise<boolean> {
    clearInterval(this.timer);
    return untilDone(this.progress, timeoutMs);
  }

  private sendDue(): void {
    const due = Math.floor(((performance.now() - this.startedAt) * this.perSecond) / 1_000);
    while (this.progress.sent < due) {
      const number = this.progress.sent++;
      const pair = this.pairs[number % this.pairs.length] as ChatPair;
      const clientMsgId = `${this.label}-${number}`;
      const intended = this.startedAt + (number * 1_000) / this.perSecond;
      this.intendedAt.set(clientMsgId, intended);
      pair.send(clientMsgId, () => {
        this.progress.acknowledged += 1;
        this.toAcknowledgement.push(performance.now() - intended);
      });
    }
  }

  private onReceived(clientMsgId: string): void {
    const intended = this.intendedAt.get(clientMsgId);
    if (intended === undefined) return;
    this.intendedAt.delete(clientMsgId);
    this.progress.received += 1;
    this.toReceiver.push(performance.now() - intended);
  }
}
