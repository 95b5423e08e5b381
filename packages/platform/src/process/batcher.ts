import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

export interface BatcherOptions<Item, Result> {
  /** Does the work of one batch and answers in its order. */
  process: (items: readonly Item[]) => Promise<readonly Result[]>;
  maxBatch: number;
  /** Items that may wait; one more is refused. */
  maxWaiting: number;
  /** Milliseconds that the first item of a batch waits for others, where answers are in no hurry; 0 by default. */
  lingerMs?: number;
  /** Batches that may be under way at the same time; 1 by default, which keeps the order of arrival. */
  maxConcurrentBatches?: number;
  /**
   * Milliseconds that an item waits before another lane opens for it; 0 by default. Until then it joins the next
   * batch: fewer and larger ones cost less, and one that is held up holds up nobody for longer.
   */
  laneWaitMs?: number;
  /**
   * True for an error that one item may have caused alone: the batch is then halved and done again, until only
   * the guilty item is refused. Not for errors that would hit every item, such as a database that is away.
   */
  shouldBisect?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  /** Milliseconds of the monotonic clock. */
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives while one batch is being processed is the next batch. One batch at a time, in order
 * of arrival, unless there are more lanes; under load batches grow, and without load an item waits for nobody.
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private readonly running = new Set<Promise<void>>();
  private lanesOpen = 0;
  private lookAgain: NodeJS.Timeout | undefined;
  /** A batch belongs to nobody: it must not run in the asynchronous context, or the unit of work, of who began it. */
  private readonly inOwnContext = AsyncLocalStorage.snapshot();

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /**
   * Resolves when the batch that the item travelled in has been processed.
   * @throws ServiceError OVERLOADED at once when too many items wait; nothing was taken then.
   */
  submit(item: Item): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) {
      return Promise.reject(new ServiceError('OVERLOADED', { retryAfter: 1 }));
    }
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      this.inOwnContext(() => this.openLaneIfDue());
    });
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private openLaneIfDue(): void {
    const { maxConcurrentBatches = 1, laneWaitMs = 0 } = this.options;
    const [first] = this.waiting;
    if (!first || this.lanesOpen >= maxConcurrentBatches) return;
    const early = this.lanesOpen === 0 ? 0 : first.since + laneWaitMs - performance.now();
    if (early <= 0) return this.openLane();
    this.lookAgain ??= setTimeout(() => {
      this.lookAgain = undefined;
      this.openLaneIfDue();
    }, Math.ceil(early)).unref();
  }

  private openLane(): void {
    this.lanesOpen += 1;
    const lane = this.run().finally(() => this.running.delete(lane));
    this.running.add(lane);
  }

  private async run(): Promise<void> {
    // What the same turn of the event loop submits belongs to the first batch already.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      if (this.options.lingerMs) await sleep(this.options.lingerMs);
      await this.process(this.waiting.splice(0, this.options.maxBatch));
    }
    // In the turn that saw nothing waiting: what is submitted after it opens a lane of its own.
    this.lanesOpen -= 1;
  }

  private async process(batch: Waiting<Item, Result>[]): Promise<void> {
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
