import { setTimeout as sleep } from 'node:timers/promises';
import type { EventDelivery } from './event-handler.js';

/** Maximum number of deliveries per transaction. An envelope with more deliveries than this maximum is not split. */
const MAX_BATCH_SIZE = 200;
/** Delay for which the first delivery of a batch waits for further deliveries; shorter than a transaction takes. */
const LINGER_MS = 8;

interface PendingBatch {
  deliveries: readonly EventDelivery[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Queues deliveries for one handler that processes events in batches. Deliveries of several envelopes that arrive
 * during a transaction share the next transaction. Only one transaction runs at a time, which preserves the order per
 * key.
 */
export class BatchHandlerQueue {
  readonly #waiting: PendingBatch[] = [];
  #running = false;

  /** @param process - handles deliveries durably, in their order */
  constructor(private readonly process: (deliveries: readonly EventDelivery[]) => Promise<void>) {}

  /** Resolves once these deliveries have been handled durably. */
  submit(deliveries: readonly EventDelivery[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ deliveries, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      await sleep(LINGER_MS);
      await this.#takeTogether(this.#next());
    }
    this.#running = false;
  }

  #next(): PendingBatch[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ deliveries }) => (count += deliveries.length) > MAX_BATCH_SIZE);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #takeTogether(batches: readonly PendingBatch[]): Promise<void> {
    try {
      await this.process(batches.flatMap(({ deliveries }) => deliveries));
      for (const { resolve } of batches) resolve();
    } catch (error) {
      for (const { reject } of batches) reject(error);
    }
  }
}
