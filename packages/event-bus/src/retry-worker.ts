import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { errorText, OPERATOR_COMMAND, type EventBusLogger } from './logger.js';
import type { AnyEventHandler } from './event-map.js';
import type { BlockedKey, QueuedRetry, RetryQueueRepository } from './retry-queue.repository.js';
import { backoffMs, type RetryPolicy } from './retry-policy.js';
import { WakeSignal } from './wake-signal.js';

export interface RetryWorkerOptions {
  scope: TransactionScope;
  queue: RetryQueueRepository;
  handlers: ReadonlyMap<string, AnyEventHandler>;
  policy: RetryPolicy;
  /** Maximum interval between queries for due events, milliseconds. */
  pollIntervalMs: number;
  logger: EventBusLogger;
}

/**
 * Retries queued events when they are due, in order per key. After the last failed attempt an event becomes a dead
 * letter.
 */
export class RetryWorker {
  readonly #wakeSignal = new WakeSignal();
  #loop: Promise<void> | null = null;
  #isStopping = false;
  #isFailing = false;

  constructor(private readonly options: RetryWorkerOptions) {}

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Wakes the worker after a commit that queued events. */
  notify(): void {
    this.#wakeSignal.notify();
  }

  /** Stops after the attempt in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeSignal.notify();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#processDue();
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) this.options.logger.error('Retry queue query failed', { error });
        this.#isFailing = true;
      }
      await this.#wakeSignal.wait(this.options.pollIntervalMs);
    }
  }

  async #processDue(): Promise<void> {
    if (!(await this.options.queue.hasDue())) return;
    let key = await this.#tryNext(null);
    // After a success, further events of the same key may be due; they are processed before the events of other keys.
    while (key && !this.#isStopping) key = (await this.#tryNext(key)) ?? (await this.#tryNext(null));
  }

  /**
   * Retries the first due event of the given key, or of any key if `key` is null. Returns the key of the retried event,
   * or null if no event was due.
   */
  async #tryNext(key: BlockedKey | null): Promise<BlockedKey | null> {
    const { scope, queue } = this.options;
    let next = null as QueuedRetry | null;
    try {
      await scope.run(async () => {
        next = key ? await queue.lockDueForKey(key) : await queue.lockDue();
        if (next) await this.#handle(next);
      });
    } catch (error) {
      if (!next) throw error;
      await this.#recordFailure(next, error);
    }
    return next;
  }

  async #handle(next: QueuedRetry): Promise<void> {
    const handler = this.options.handlers.get(next.handler);
    if (!handler) throw new Error(`Event handler ${next.handler} does not exist any more`);
    await handler.handle(next.event);
    await this.options.queue.remove(next.position);
  }

  async #recordFailure(failed: QueuedRetry, error: unknown): Promise<void> {
    const { scope, queue, policy, logger } = this.options;
    const attempts = failed.attempts + 1;
    const isExhausted = attempts >= policy.maxAttempts;
    await scope.run(() =>
      isExhausted
        ? queue.moveToDeadLetters(failed, errorText(error))
        : queue.reschedule(failed, backoffMs(policy, attempts), errorText(error)),
    );
    const context = { handler: failed.handler, event: failed.event.name, eventId: failed.event.id, attempts, error };
    if (isExhausted) logger.error('Event moved to dead letters', { ...context, command: OPERATOR_COMMAND });
    else logger.warn('Event retry failed', context);
  }
}
