import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Spaces rounds of work: a round starts at once after a pause, and at least `intervalMs` after the start of the previous
 * round under load, so that it covers more work.
 */
export class RoundPacer {
  #previousStart = Number.NEGATIVE_INFINITY;

  constructor(private readonly intervalMs: number) {}

  /** Resolves when the next round may start. */
  async waitForTurn(): Promise<void> {
    const remainingMs = this.#previousStart + this.intervalMs - performance.now();
    if (remainingMs > 0) await sleep(remainingMs);
    this.#previousStart = performance.now();
  }
}
