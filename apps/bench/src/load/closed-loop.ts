import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPair } from './chat-pair.js';

/** Message counts since the start of the load. */
export interface LoadProgress {
  sent: number;
  acknowledged: number;
  received: number;
}

/**
 * Sends messages at maximum rate. Each sender has up to `window` unacknowledged messages and sends the next message
 * when a message is acknowledged.
 */
export class ClosedLoop {
  readonly progress: LoadProgress = { sent: 0, acknowledged: 0, received: 0 };
  private isRunning = false;

  /** @param label - prefix of this loop's client message ids, so that they are unique in the run */
  constructor(
    private readonly pairs: readonly ChatPair[],
    private readonly window: number,
    private readonly label: string,
  ) {}

  start(): void {
    this.isRunning = true;
    for (const pair of this.pairs) pair.onReceived = () => void (this.progress.received += 1);
    this.pairs.forEach((pair, index) => {
      for (let slot = 0; slot < this.window; slot++) this.sendNext(pair, index);
    });
  }

  /**
   * Stops sending and waits for pending messages.
   *
   * @returns whether all messages were acknowledged and received before the timeout
   */
  async finish(timeoutMs: number): Promise<boolean> {
    this.isRunning = false;
    return waitUntilDelivered(this.progress, timeoutMs);
  }

  private sendNext(pair: ChatPair, index: number): void {
    if (!this.isRunning) return;
    this.progress.sent += 1;
    pair.send(`${this.label}-${index}-${this.progress.sent}`, () => {
      this.progress.acknowledged += 1;
      this.sendNext(pair, index);
    });
  }
}

const POLL_MS = 10;

/** Polls until all sent messages are acknowledged and received. @returns false when the timeout elapses first */
export async function waitUntilDelivered(progress: LoadProgress, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  const isDone = () => progress.acknowledged >= progress.sent && progress.received >= progress.sent;
  while (!isDone() && performance.now() < end) await sleep(POLL_MS);
  return isDone();
}
