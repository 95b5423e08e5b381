import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

export interface BatcherOptions<Item, Result> {
  /** Processes one batch and returns the results in the same order. */
  process: (items: readonly Item[]) => Promise<readonly Result[]>;
  maxBatch: number;
  /** Maximum number of waiting items; further items are rejected. */
  maxWaiting: number;
  /**
   * Milliseconds that the first item of a batch waits for further items, where latency matters little; 0 by default.
   */
  lingerMs?: number;
  /** Maximum number of concurrent batches; 1 by default, which preserves the order of arrival. */
  maxConcurrentBatches?: number;
  /**
   * Milliseconds that an item waits before another concurrent batch is started; 0 by default. Until `laneWaitMs` have
   * passed, the item waits for the next batch of a running lane. Fewer, larger batches cost less than many small ones,
   * and a slow batch delays other items by at most `laneWaitMs`.
   */
  laneWaitMs?: number;
  /**
   * Returns true for an error that a single item may have caused: the batcher halves and retries the batch until only
   * the failing item is rejected. `shouldBisect` must return false for errors that affect every item, such as an
   * unavailable database.
   */
  shouldBisect?: (error: unknown) => boolean;
}

interface QueuedItem<Item, Result> {
  item: Item;
  /** Time of submission in milliseconds of the monotonic clock. */
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a batch is processed form the next batch. The batcher runs one batch at a time,
 * in order of arrival, unless more concurrent batches are allowed. Batches grow under load; without load an item does
 * not wait.
 */
export class Batcher<Item, Result> {
  private readonly waiting: QueuedItem<Item, Result>[] = [];
  private readonly running = new Set<Promise<void>>();
  private openLanes = 0;
  private laneTimer: NodeJS.Timeout | undefined;
  /** Runs batches outside the asynchronous context, and thus the transaction, of the submitter. */
  private readonly runOutsideContext = AsyncLocalStorage.snapshot();

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /**
   * Queues an item, and resolves with the item's result when the batch of the item has been processed.
   *
   * @throws ServiceError OVERLOADED immediately, without queuing the item, if too many items wait
   */
  submit(item: Item): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) {
      return Promise.reject(new ServiceError('OVERLOADED', { retryAfter: 1 }));
    }
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      this.runOutsideContext(() => this.openLaneIfDue());
    });
  }

  /** Resolves when no item waits and no batch is running. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private openLaneIfDue(): void {
    const { maxConcurrentBatches = 1, laneWaitMs = 0 } = this.options;
    const [first] = this.waiting;
    if (!first || this.openLanes >= maxConcurrentBatches) return;
    const remainingMs = this.openLanes === 0 ? 0 : first.since + laneWaitMs - performance.now();
    if (remainingMs <= 0) return this.openLane();
    this.laneTimer ??= setTimeout(() => {
      this.laneTimer = undefined;
      this.openLaneIfDue();
    }, Math.ceil(remainingMs)).unref();
  }

  private openLane(): void {
    this.openLanes += 1;
    const lane = this.run().finally(() => this.running.delete(lane));
    this.running.add(lane);
  }

  private async run(): Promise<void> {
    // Items submitted in the same turn of the event loop belong to the first batch.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      if (this.options.lingerMs) await sleep(this.options.lingerMs);
      await this.process(this.waiting.splice(0, this.options.maxBatch));
    }
    // The lane (a loop that processes one batch after the other) closes in the turn in which the queue was empty, so
    // that an item submitted later opens a new lane.
    this.openLanes -= 1;
  }

  private async process(batch: QueuedItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.process(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length > 1 && this.options.shouldBisect?.(error)) {
        const half = batch.length >> 1;
        await this.process(batch.slice(0, half));
        await this.process(batch.slice(half));
      } else {
        batch.forEach(({ reject }) => reject(error));
      }
    }
  }
}
