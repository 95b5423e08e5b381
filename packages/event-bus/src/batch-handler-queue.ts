import { setTimeout as sleep } from 'node:timers/promises';
import type { EventDelivery } from './event-handler.js';

/** Deliveries that one unit of work takes, if what came in one envelope is not more. */
const MAX_TOGETHER = 200;
/** For which the first of them waits for others: a unit of work costs more than that. */
const GATHER_MS = 8;

interface Arrival {
  deliveries: readonly EventDelivery[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The way to one handler that takes many events at once. What envelopes bring while one unit of work is under way goes
 * through the next one together; one unit at a time, so the order per key stays.
 */
export class BatchHandlerQueue {
  readonly #waiting: Arrival[] = [];
  #running = false;

  /** @param take - handles deliveries durably, in their order */
  constructor(private readonly take: (deliveries: readonly EventDelivery[]) => Promise<void>) {}

  /** Resolves once these deliveries were taken. */
  submit(deliveries: readonly EventDelivery[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ deliveries, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      await sleep(GATHER_MS);
      await this.#takeTogether(this.#next());
    }
    this.#running = false;
  }

  #next(): Arrival[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ deliveries }) => (count += deliveries.length) > MAX_TOGETHER);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #takeTogether(arrivals: readonly Arrival[]): Promise<void> {
    try {
      await this.take(arrivals.flatMap(({ deliveries }) => deliveries));
      for (const { resolve } of arrivals) resolve();
    } catch (error) {
      for (const { reject } of arrivals) reject(error);
    }
  }
}
