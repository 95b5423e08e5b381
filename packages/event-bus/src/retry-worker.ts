import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { AnyEventHandler } from './event-handler.js';
import type { EventBusLogger } from './logger.js';
import type { BlockedKey, QueuedRetry, RetryQueueRepository } from './retry-queue.repository.js';
import { backoffMs, type RetryPolicy } from './retry-policy.js';
import { WakeSignal } from './wake-signal.js';

export interface RetryWorkerOptions {
  scope: TransactionScope;
  parked: RetryQueueRepository;
  handlers: ReadonlyMap<string, AnyEventHandler>;
  policy: RetryPolicy;
  /** Longest time between looks at what is due, milliseconds. */
  pollMs: number;
  logger: EventBusLogger;
}

/** Tries parked events again when they are due, in order per key, and gives up after the policy's attempts. */
export class RetryWorker {
  readonly #wakeSignal = new WakeSignal();
  #loop: Promise<void> | null = null;
  #stopping = false;
  #failing = false;

  constructor(private readonly options: RetryWorkerOptions) {}

  start(): void {
    this.#loop ??= this.#run();
  }

  notify(): void {
    this.#wakeSignal.notify();
  }

  /** Ends after the attempt under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wakeSignal.notify();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#workOffDue();
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.options.logger.error('Retry queue query failed', { error });
        this.#failing = true;
      }
      await this.#wakeSignal.wait(this.options.pollMs);
    }
  }

  async #workOffDue(): Promise<void> {
    let key = await this.#tryNext(null);
    // A key that was unblocked is worked off before another one is looked for.
    while (key && !this.#stopping) key = (await this.#tryNext(key)) ?? (await this.#tryNext(null));
  }

  /** Tries the first due event, of the given key or of any. Returns its key, or null if none was due. */
  async #tryNext(of: BlockedKey | null): Promise<BlockedKey | null> {
    const { scope, parked } = this.options;
    let next = null as QueuedRetry | null;
    try {
      await scope.run(async () => {
        next = of ? await parked.lockDueForKey(of) : await parked.lockDue();
        if (next) await this.#handle(next);
      });
    } catch (error) {
      if (!next) throw error;
      await this.#noteFailure(next, error);
    }
    return next;
  }

  async #handle(next: QueuedRetry): Promise<void> {
    const handler = this.options.handlers.get(next.handler);
    if (!handler) throw new Error(`There is no handler ${next.handler} any more`);
    await handler.handle(next.event);
    await this.options.parked.remove(next.position);
  }

  async #noteFailure(failed: QueuedRetry, error: unknown): Promise<void> {
    const { scope, parked, policy, logger } = this.options;
    const attempts = failed.attempts + 1;
    const exhausted = attempts >= policy.maxAttempts;
    await scope.run(() =>
      exhausted
        ? parked.moveToDeadLetters(failed, String(error))
        : parked.reschedule(failed, backoffMs(policy, attempts), String(error)),
    );
    const context = { handler: failed.handler, event: failed.event.name, eventId: failed.event.id, attempts, error };
    if (exhausted) logger.error('Event moved to dead letters', context);
    else logger.warn('Event retry failed', context);
  }
}
