import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPair } from './chat-pair.js';

/** Counts since the start of a loop. */
export interface LoadProgress {
  sent: number;
  acknowledged: number;
  received: number;
}

/** Each sender has at most `window` messages that are not acknowledged, and sends the next when one is. */
export class ClosedLoop {
  readonly progress: LoadProgress = { sent: 0, acknowledged: 0, received: 0 };
  private running = false;

  /** @param label - makes this loop's messages unlike those of another */
  constructor(
    private readonly pairs: readonly ChatPair[],
    private readonly window: number,
    private readonly label: string,
  ) {}

  start(): void {
    this.running = true;
    for (const pair of this.pairs) pair.onReceived = () => void (this.progress.received += 1);
    this.pairs.forEach((pair, index) => {
      for (let slot = 0; slot < this.window; slot++) this.sendNext(pair, index);
    });
  }

  /** Sends nothing more and waits until everything was acknowledged and received. @returns whether it was, in time */
  async finish(timeoutMs: number): Promise<boolean> {
    this.running = false;
    return untilDone(this.progress, timeoutMs);
  }

  private sendNext(pair: ChatPair, index: number): void {
    if (!this.running) return;
    this.progress.sent += 1;
    pair.send(`${this.label}-${index}-${this.progress.sent}`, () => {
      this.progress.acknowledged += 1;
      this.sendNext(pair, index);
    });
  }
}

const POLL_MS = 10;

export async function untilDone(progress: LoadProgress, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  const isDone = () => progress.acknowledged >= progress.sent && progress.received >= progress.sent;
  while (!isDone() && performance.now() < end) await sleep(POLL_MS);
  return isDone();
}
