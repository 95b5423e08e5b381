// Step 5 of docs/from-change-to-socket.md: the inbox, and the transaction of the handlers.
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DeadLetterStore, UNKNOWN_HANDLER } from './dead-letters.js';
import type { Envelope } from './envelope.js';
import { BacklogFullError } from './errors.js';
import type { Closeable, EventBus, MalformedMessage } from './event-bus.js';
import type { EventDelivery, AnyEventHandler, EventHandler, EventName } from './event-map.js';
import { InboxRepository } from './inbox.repository.js';
import { errorText, OPERATOR_COMMAND, type EventBusLogger } from './logger.js';
import { backoffMs, defaultRetryPolicy, type RetryPolicy } from './retry-policy.js';
import { blockedKeyId, RetryQueueRepository } from './retry-queue.repository.js';
import { RetryWorker } from './retry-worker.js';
import { RoundPacer } from './round-pacer.js';
import type { EventTracing } from './traceparent.js';

/** Maximum number of deliveries per transaction. An envelope with more deliveries than this maximum is not split. */
const MAX_BATCH_SIZE = 200;
/** Minimum milliseconds between the transactions of a handler, so that under load they contain more deliveries. */
const TRANSACTION_INTERVAL_MS = 8;

/** Deliveries that were submitted together and wait for a transaction. */
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
  readonly #pacer = new RoundPacer(TRANSACTION_INTERVAL_MS);
  #isRunning = false;

  /** @param process - handles deliveries durably, in their order */
  constructor(private readonly process: (deliveries: readonly EventDelivery[]) => Promise<void>) {}

  /** Resolves once these deliveries have been handled durably. */
  submit(deliveries: readonly EventDelivery[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ deliveries, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#pacer.waitForTurn();
      await this.#processTogether(this.#takeNextBatches());
    }
    this.#isRunning = false;
  }

  /** Removes the batches of the next transaction from the queue, and returns them. */
  #takeNextBatches(): PendingBatch[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ deliveries }) => (count += deliveries.length) > MAX_BATCH_SIZE);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #processTogether(batches: readonly PendingBatch[]): Promise<void> {
    try {
      await this.process(batches.flatMap(({ deliveries }) => deliveries));
      for (const { resolve } of batches) resolve();
    } catch (error) {
      for (const { reject } of batches) reject(error);
    }
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
const PURGE_BATCH_SIZE = 10_000;

/** Measures the envelopes that a consumer receives. `pending` is the number of envelopes that follow on the bus. */
export interface DeliveryMeter {
  received(envelope: Envelope, pending: number): void;
  /** Called once the events of the envelope have been handled durably. */
  handled(envelope: Envelope, pending: number): void;
}

export interface EventConsumerOptions {
  /** The consuming app. */
  app: string;
  scope: TransactionScope;
  bus: EventBus;
  logger: EventBusLogger;
  meter?: DeliveryMeter;
  tracing?: EventTracing | undefined;
  retryPolicy?: RetryPolicy;
  /** Maximum interval between polls of the retry queue, milliseconds; 1,000 by default. */
  retryPollIntervalMs?: number;
  /**
   * Maximum length of the retry queue, 100,000 by default. When the retry queue is full, envelopes whose events would
   * have to be queued are rejected and stay on the bus.
   */
  maxQueuedRetries?: number;
  /**
   * Retention of inbox rows, milliseconds; 14 days by default. The retention of the inbox must exceed that of every
   * outbox.
   */
  inboxRetentionMs?: number;
}

/**
 * Delivers events from the bus to an app's handlers, effectively once per handler. A failed event moves to the retry
 * queue in the app's database and blocks only later events of its key for that handler. The envelope of a failed event
 * is confirmed, and all other events are handled.
 */
export class EventConsumer<Events> {
  readonly #inbox: InboxRepository;
  readonly #retryQueue: RetryQueueRepository;
  readonly #deadLetters: DeadLetterStore;
  readonly #retryWorker: RetryWorker;
  readonly #policy: RetryPolicy;
  readonly #handlersByName = new Map<string, AnyEventHandler>();
  readonly #handlersByEvent = new Map<string, AnyEventHandler[]>();
  readonly #batchQueues = new Map<AnyEventHandler, BatchHandlerQueue>();
  readonly #retryListeners: (() => void)[] = [];
  readonly #malformedListeners: (() => void)[] = [];
  #isStarted = false;
  #subscription: Closeable | null = null;

  constructor(private readonly options: EventConsumerOptions) {
    const { scope, logger } = options;
    this.#inbox = new InboxRepository(scope);
    this.#retryQueue = new RetryQueueRepository(scope);
    this.#deadLetters = new DeadLetterStore(scope);
    this.#policy = options.retryPolicy ?? defaultRetryPolicy;
    this.#retryWorker = new RetryWorker({
      scope,
      logger,
      queue: this.#retryQueue,
      handlers: this.#handlersByName,
      policy: this.#policy,
      pollIntervalMs: options.retryPollIntervalMs ?? 1_000,
    });
  }

  /**
   * Adds a handler.
   *
   * @throws Error if another handler has the same name (both handlers would share one inbox), or if the consumer has
   * started
   */
  register<Name extends EventName<Events>>(handler: EventHandler<Events, Name>): void {
    if (this.#isStarted) throw new Error(`Event handler ${handler.name} was registered after the start`);
    if (this.#handlersByName.has(handler.name)) throw new Error(`Two event handlers are named ${handler.name}`);
    const registered = handler as AnyEventHandler;
    this.#handlersByName.set(registered.name, registered);
    if (registered.handleBatch) {
      this.#batchQueues.set(registered, new BatchHandlerQueue((deliveries) => this.#process(deliveries)));
    }
    for (const event of typeof registered.event === 'string' ? [registered.event] : registered.event) {
      this.#handlersByEvent.set(event, [...(this.#handlersByEvent.get(event) ?? []), registered]);
    }
  }

  /**
   * Subscribes to the events of all handlers. Every event published after the returned promise has resolved is
   * delivered.
   */
  async start(): Promise<void> {
    this.#isStarted = true;
    this.#subscription = await this.options.bus.subscribe({
      consumer: this.options.app,
      events: [...this.#handlersByEvent.keys()],
      deliver: async (envelope, pending) => {
        this.options.meter?.received(envelope, pending);
        await this.#deliver(envelope);
        this.options.meter?.handled(envelope, pending);
      },
      deliverMalformed: (message) => this.#storeMalformed(message),
    });
    this.#retryWorker.start();
  }

  /** Waits for the deliveries and retries in progress, and stops. */
  async stop(): Promise<void> {
    await this.#subscription?.close();
    await this.#retryWorker.stop();
  }

  /** Returns all handlers. */
  get handlers(): readonly AnyEventHandler[] {
    return [...this.#handlersByName.values()];
  }

  /** Calls `listener` when this process has committed an event to the retry queue. */
  onRetryEnqueued(listener: () => void): void {
    this.#retryListeners.push(listener);
  }

  /**
   * Calls `listener` when this process has stored bytes that are no event; an event of any object may then be missing.
   */
  onMalformed(listener: () => void): void {
    this.#malformedListeners.push(listener);
  }

  /** Returns the number of events in the retry queue, at most `maxQueuedRetries`. */
  countRetries(): Promise<number> {
    return this.#retryQueue.count(this.#maxQueuedRetries);
  }

  /** Deletes inbox rows past their retention. Returns the number of deleted rows. */
  async purge(): Promise<number> {
    const ageMs = this.options.inboxRetentionMs ?? 14 * DAY_MS;
    let total = 0;
    let deleted: number;
    do {
      deleted = await this.#inbox.deleteOlderThan(ageMs, PURGE_BATCH_SIZE);
      total += deleted;
    } while (deleted === PURGE_BATCH_SIZE);
    return total;
  }

  get #maxQueuedRetries(): number {
    return this.options.maxQueuedRetries ?? 100_000;
  }

  async #deliver(envelope: Envelope): Promise<void> {
    if (this.options.scope.isInTransaction) throw new Error('An envelope must not be delivered inside a transaction');
    const deliveries = envelope.events.flatMap((event) =>
      (this.#handlersByEvent.get(event.name) ?? []).map((handler) => ({ handler, event })),
    );
    const byQueue = Map.groupBy(deliveries, ({ handler }) => this.#batchQueues.get(handler));
    const others = byQueue.get(undefined) ?? [];
    byQueue.delete(undefined);
    const results = others.length > 0 ? await Promise.allSettled([this.#process(others)]) : [];
    // Batch handlers run last, because they read projections that the other handlers update from the same envelope.
    const batchResults = await Promise.allSettled([...byQueue].map(async ([queue, group]) => queue?.submit(group)));
    const failed = [...results, ...batchResults].find(({ status }) => status === 'rejected');
    // Events that succeeded are not processed again: the inbox discards them when the envelope is redelivered.
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #process(deliveries: readonly EventDelivery[]): Promise<void> {
    const { scope, logger } = this.options;
    try {
      // Normally one transaction commits all deliveries.
      await this.#trace(deliveries, () => scope.run(() => this.#processInTransaction(deliveries)));
    } catch (error) {
      // If any delivery fails, one transaction per delivery isolates the failing event.
      logger.warn('Event batch failed, processing events one at a time', { events: deliveries.length, error });
      for (const delivery of deliveries) await this.#processOne(delivery);
    }
  }

  #trace<Result>(deliveries: readonly EventDelivery[], work: () => Promise<Result>): Promise<Result> {
    const { tracing } = this.options;
    if (!tracing) return work();
    return tracing.traceHandling(
      deliveries.map(({ event }) => event),
      work,
    );
  }

  /**
   * Claims deliveries in the inbox, handles them in order, and queues those whose key is blocked. Must run in a
   * transaction.
   */
  async #processInTransaction(deliveries: readonly EventDelivery[]): Promise<void> {
    // The statements are sent together, in this order: the second one sees what the first one may have waited for.
    const [newDeliveries, blockedKeys] = await Promise.all([
      this.#inbox.claimNewDeliveries(deliveries),
      this.#retryQueue.findBlockedKeys(deliveries),
    ]);
    if (newDeliveries.length === 0) return;
    const isBlocked = ({ handler, event: { key } }: EventDelivery) =>
      blockedKeys.has(blockedKeyId({ handler: handler.name, key }));
    await handleInOrder(newDeliveries.filter((delivery) => !isBlocked(delivery)));
    const blockedDeliveries = newDeliveries.filter(isBlocked);
    if (blockedDeliveries.length > 0)
      await this.#enqueueRetry(blockedDeliveries, { attempts: 0, delayMs: 0, error: null });
  }

  async #processOne(delivery: EventDelivery): Promise<void> {
    const { scope, logger } = this.options;
    try {
      await this.#trace([delivery], () => scope.run(() => this.#processInTransaction([delivery])));
    } catch (error) {
      const { handler, event } = delivery;
      logger.warn('Event failed, moved to the retry queue', {
        handler: handler.name,
        event: event.name,
        eventId: event.id,
        error,
      });
      await this.#moveToRetryQueue(delivery, error);
    }
  }

  /**
   * Moves a failed delivery to the retry queue. An event that the retry queue cannot store becomes a dead letter with
   * its raw bytes.
   */
  async #moveToRetryQueue(delivery: EventDelivery, error: unknown): Promise<void> {
    const { scope } = this.options;
    try {
      await scope.run(async () => {
        const newDeliveries = await this.#inbox.claimNewDeliveries([delivery]);
        if (newDeliveries.length === 0) return;
        await this.#enqueueRetry(newDeliveries, {
          attempts: 1,
          delayMs: backoffMs(this.#policy, 1),
          error: errorText(error),
        });
      });
    } catch (enqueueError) {
      // For every other error, the envelope is rejected and redelivered.
      if (!isDataError(enqueueError)) throw enqueueError;
      const raw = Buffer.from(JSON.stringify(delivery.event));
      await this.#storeMalformed({ raw, reason: errorText(enqueueError) }, delivery.handler.name);
    }
  }

  async #storeMalformed({ raw, reason }: MalformedMessage, handler = UNKNOWN_HANDLER): Promise<void> {
    await this.#deadLetters.storeMalformed(handler, raw, reason);
    this.options.logger.error('Malformed event stored as dead letter', {
      handler,
      bytes: raw.byteLength,
      reason,
      command: OPERATOR_COMMAND,
    });
    for (const listener of this.#malformedListeners) listener();
  }

  async #enqueueRetry(
    deliveries: readonly EventDelivery[],
    state: Parameters<RetryQueueRepository['enqueue']>[1],
  ): Promise<void> {
    if ((await this.#retryQueue.count(this.#maxQueuedRetries)) >= this.#maxQueuedRetries)
      throw new BacklogFullError('Retry queue');
    await this.#retryQueue.enqueue(deliveries, state);
    this.options.scope.afterCommit(() => {
      this.#retryWorker.notify();
      for (const listener of this.#retryListeners) listener();
    });
  }
}

/**
 * Calls the handlers in the order of the deliveries. If the first delivery belongs to a batch handler, all others
 * belong to the same handler, because each batch handler has a separate queue.
 */
async function handleInOrder(deliveries: readonly EventDelivery[]): Promise<void> {
  const [first] = deliveries;
  if (first?.handler.handleBatch) {
    await first.handler.handleBatch(deliveries.map(({ event }) => event));
    return;
  }
  for (const { handler, event } of deliveries) await handler.handle(event);
}

/** Returns whether Postgres rejected a value of the event (SQLSTATE class 22); every further attempt would fail too. */
function isDataError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('22');
}
