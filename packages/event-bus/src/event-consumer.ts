import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { Envelope } from './envelope.js';
import { BacklogFullError } from './errors.js';
import type { Closeable, EventBus } from './event-bus.js';
import type { AnyEventHandler, EventDelivery, EventHandler } from './event-handler.js';
import type { EventName } from './event-map.js';
import { BatchHandlerQueue } from './batch-handler-queue.js';
import { InboxRepository } from './inbox.repository.js';
import type { EventBusLogger } from './logger.js';
import { blockedKeyId, RetryQueueRepository } from './retry-queue.repository.js';
import { RetryWorker } from './retry-worker.js';
import { backoffMs, defaultRetryPolicy, type RetryPolicy } from './retry-policy.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PURGE_ROWS = 10_000;

export interface EventConsumerOptions {
  /** Name of the app that consumes. */
  app: string;
  scope: TransactionScope;
  bus: EventBus;
  logger: EventBusLogger;
  retry?: RetryPolicy;
  /** Longest time between looks at parked events, milliseconds. */
  retryPollMs?: number;
  /** Parked events from which on envelopes with further ones are refused and stay with the bus. */
  maxQueuedRetries?: number;
  /** How long the inbox remembers; longer than any outbox keeps its rows. */
  inboxRetentionMs?: number;
}

/**
 * Brings events from the bus to an app's handlers, to each exactly once. A failing event is parked in the app's
 * database and blocks only its key for its handler; the envelope is confirmed and everything else goes on.
 */
export class EventConsumer<Events> {
  readonly #inbox: InboxRepository;
  readonly #parked: RetryQueueRepository;
  readonly #retrier: RetryWorker;
  readonly #policy: RetryPolicy;
  readonly #handlersByName = new Map<string, AnyEventHandler>();
  readonly #handlersByEvent = new Map<string, AnyEventHandler[]>();
  readonly #lanes = new Map<AnyEventHandler, BatchHandlerQueue>();
  #started = false;
  #subscription: Closeable | null = null;

  constructor(private readonly options: EventConsumerOptions) {
    const { scope, logger } = options;
    this.#inbox = new InboxRepository(scope);
    this.#parked = new RetryQueueRepository(scope);
    this.#policy = options.retry ?? defaultRetryPolicy;
    this.#retrier = new RetryWorker({
      scope,
      logger,
      parked: this.#parked,
      handlers: this.#handlersByName,
      policy: this.#policy,
      pollMs: options.retryPollMs ?? 1_000,
    });
  }

  /** Adds a handler. Throws if its name is taken (two would share one inbox) and after the start. */
  register<Name extends EventName<Events>>(handler: EventHandler<Events, Name>): void {
    if (this.#started) throw new Error(`Event handler ${handler.name} is registered after the start`);
    if (this.#handlersByName.has(handler.name)) throw new Error(`Two event handlers are named ${handler.name}`);
    const known = handler as AnyEventHandler;
    this.#handlersByName.set(known.name, known);
    if (known.handleBatch)
      this.#lanes.set(known, new BatchHandlerQueue((deliveries) => this.#takeTogether(deliveries)));
    for (const event of typeof known.event === 'string' ? [known.event] : known.event) {
      this.#handlersByEvent.set(event, [...(this.#handlersByEvent.get(event) ?? []), known]);
    }
  }

  /** Subscribes to what the handlers take; resolves once nothing published from now on can be missed. */
  async start(): Promise<void> {
    this.#started = true;
    this.#subscription = await this.options.bus.subscribe({
      consumer: this.options.app,
      events: [...this.#handlersByEvent.keys()],
      deliver: (envelope) => this.#deliver(envelope),
    });
    this.#retrier.start();
  }

  /** Ends after the deliveries and attempts under way. */
  async stop(): Promise<void> {
    await this.#subscription?.close();
    await this.#retrier.stop();
  }

  /** Parked events, counted no further than the consumer may park. */
  countRetries(): Promise<number> {
    return this.#parked.count(this.#maxParked);
  }

  /** Deletes what the inbox need not remember any longer. Returns how many marks. */
  async purge(): Promise<number> {
    const ageMs = this.options.inboxRetentionMs ?? 14 * DAY_MS;
    let total = 0;
    let deleted: number;
    do {
      deleted = await this.#inbox.deleteOlderThan(ageMs, PURGE_ROWS);
      total += deleted;
    } while (deleted === PURGE_ROWS);
    return total;
  }

  get #maxParked(): number {
    return this.options.maxQueuedRetries ?? 100_000;
  }

  async #deliver(envelope: Envelope): Promise<void> {
    if (this.options.scope.isOpen) throw new Error('An envelope was delivered inside an open unit of work');
    const deliveries = envelope.events.flatMap((event) =>
      (this.#handlersByEvent.get(event.name) ?? []).map((handler) => ({ handler, event })),
    );
    const byLane = Map.groupBy(deliveries, ({ handler }) => this.#lanes.get(handler));
    const ways = [...byLane].map(([lane, some]) => (lane ? lane.submit(some) : this.#takeTogether(some)));
    const failed = (await Promise.allSettled(ways)).find(({ status }) => status === 'rejected');
    // What was taken stays taken: the inbox drops it when the envelope comes again.
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #takeTogether(deliveries: readonly EventDelivery[]): Promise<void> {
    const { scope, logger } = this.options;
    try {
      // One commit for all in the good case …
      await scope.run(() => this.#take(deliveries));
    } catch (error) {
      // … and one per delivery when something in it fails, so that it fails alone.
      logger.warn('Event batch failed, processing events one at a time', { events: deliveries.length, error });
      for (const delivery of deliveries) await this.#takeAlone(delivery);
    }
  }

  /** Runs in a unit of work: marks deliveries as taken, handles them in order, parks those whose key is blocked. */
  async #take(deliveries: readonly EventDelivery[]): Promise<void> {
    const fresh = await this.#inbox.claimNew(deliveries);
    if (fresh.length === 0) return;
    const blocked = await this.#parked.findBlocked(fresh);
    const isBlocked = ({ handler, event: { key } }: EventDelivery) =>
      blocked.has(blockedKeyId({ handler: handler.name, key }));
    await handleInOrder(fresh.filter((delivery) => !isBlocked(delivery)));
    const waiting = fresh.filter(isBlocked);
    if (waiting.length > 0) await this.#park(waiting, { attempts: 0, pauseMs: 0, error: null });
  }

  async #takeAlone(delivery: EventDelivery): Promise<void> {
    const { scope, logger } = this.options;
    try {
      await scope.run(() => this.#take([delivery]));
    } catch (error) {
      const { handler, event } = delivery;
      logger.warn('Event failed, moved to the retry queue', {
        handler: handler.name,
        event: event.name,
        eventId: event.id,
        error,
      });
      // If this fails too, it is not the event that is wrong: the envelope is refused and comes again.
      await scope.run(async () => {
        const fresh = await this.#inbox.claimNew([delivery]);
        if (fresh.length === 0) return;
        await this.#park(fresh, { attempts: 1, pauseMs: backoffMs(this.#policy, 1), error: String(error) });
      });
    }
  }

  async #park(
    deliveries: readonly EventDelivery[],
    state: Parameters<RetryQueueRepository['enqueue']>[1],
  ): Promise<void> {
    if ((await this.#parked.count(this.#maxParked)) >= this.#maxParked) throw new BacklogFullError('Parked events');
    await this.#parked.enqueue(deliveries, state);
    this.options.scope.afterCommit(() => this.#retrier.notify());
  }
}

/** A handler that takes many at once is the only one of its deliveries: its lane has no others. */
async function handleInOrder(deliveries: readonly EventDelivery[]): Promise<void> {
  const [first] = deliveries;
  if (first?.handler.handleBatch) {
    await first.handler.handleBatch(deliveries.map(({ event }) => event));
    return;
  }
  for (const { handler, event } of deliveries) await handler.handle(event);
}
