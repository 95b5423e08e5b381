import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { captureTrace, continueTrace, isTracing, type CapturedTrace } from '../observability/tracing.js';

export interface BatcherOptions<Item, Result> {
  /** Processes one batch and returns the results in the same order. */
  process: (items: readonly Item[]) => Promise<readonly Result[]>;
  maxBatchSize: number;
  /** Maximum number of waiting items; further items are rejected. */
  maxWaitingItems: number;
  /**
   * Milliseconds that the first item of a batch waits for further items; 0 by default. Work that is not urgent can wait
   * to form larger batches.
   */
  lingerMs?: number;
  /** Maximum number of concurrent batches; 1 by default, which preserves the order of arrival. */
  maxConcurrentBatches?: number;
  /**
   * Milliseconds that an item waits before another concurrent batch is started; 0 by default. Until
   * `concurrentBatchDelayMs` have passed, the item waits for the next batch of a running worker. Few large batches cost
   * less than many small batches, and a slow batch delays other items by at most `concurrentBatchDelayMs`.
   */
  concurrentBatchDelayMs?: number;
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
  submittedAt: number;
  /** Trace of the submitter; undefined unless it is sampled. */
  trace: CapturedTrace | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a batch is processed form the next batch. The batcher runs one batch at a time,
 * in order of arrival, unless more concurrent batches are allowed. Batches grow under load; without load an item does
 * not wait.
 */
export class Batcher<Item, Result> {
  private readonly waitingItems: QueuedItem<Item, Result>[] = [];
  private readonly runningWorkers = new Set<Promise<void>>();
  private workerCount = 0;
  private workerTimer: NodeJS.Timeout | undefined;
  /** Runs batches outside the asynchronous context, and thus the transaction, of the submitter. */
  private readonly runOutsideContext = AsyncLocalStorage.snapshot();

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /**
   * Queues an item, and resolves with the item's result when the batch of the item has been processed.
   *
   * @throws ServiceError OVERLOADED immediately, without queuing the item, if too many items wait
   */
  submit(item: Item): Promise<Result> {
    if (this.waitingItems.length >= this.options.maxWaitingItems) {
      return Promise.reject(new ServiceError('OVERLOADED', { retryAfter: 1 }));
    }
    return new Promise<Result>((resolve, reject) => {
      this.waitingItems.push({ item, submittedAt: performance.now(), trace: captureTrace(), resolve, reject });
      this.runOutsideContext(() => this.startWorkerIfDue());
    });
  }

  /** Resolves when no item waits and no batch is running. */
  async waitUntilIdle(): Promise<void> {
    while (this.runningWorkers.size > 0) await Promise.all(this.runningWorkers);
  }

  private startWorkerIfDue(): void {
    const { maxConcurrentBatches = 1, concurrentBatchDelayMs = 0 } = this.options;
    const [first] = this.waitingItems;
    if (!first || this.workerCount >= maxConcurrentBatches) return;
    const remainingMs = this.workerCount === 0 ? 0 : first.submittedAt + concurrentBatchDelayMs - performance.now();
    if (remainingMs <= 0) return this.startWorker();
    this.workerTimer ??= setTimeout(() => {
      this.workerTimer = undefined;
      this.startWorkerIfDue();
    }, Math.ceil(remainingMs)).unref();
  }

  private startWorker(): void {
    this.workerCount += 1;
    const worker = this.runWorker().finally(() => this.runningWorkers.delete(worker));
    this.runningWorkers.add(worker);
  }

  private async runWorker(): Promise<void> {
    // Items submitted in the same turn of the event loop belong to the first batch.
    await Promise.resolve();
    while (this.waitingItems.length > 0) {
      if (this.options.lingerMs) await sleep(this.options.lingerMs);
      await this.process(this.waitingItems.splice(0, this.options.maxBatchSize));
    }
    // The worker ends in the turn in which the queue was empty, so that an item submitted later starts a new worker.
    this.workerCount -= 1;
  }

  private async process(batch: QueuedItem<Item, Result>[]): Promise<void> {
    try {
      // The work for a batch belongs to the trace of its first traced item.
      const trace = isTracing() ? batch.find((queued) => queued.trace)?.trace : undefined;
      const results = await continueTrace(trace, () => this.options.process(batch.map(({ item }) => item)));
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
