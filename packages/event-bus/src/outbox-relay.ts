// Step 3 of docs/from-change-to-socket.md: committed rows are published.
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { type Clock, systemClock } from './clock.js';
import { ConfirmationBatcher } from './confirmation-batcher.js';
import { countEventsThatFit, MAX_ENVELOPE_EVENTS, createEnvelope } from './envelope.js';
import { StreamLostError } from './errors.js';
import type { EventBus } from './event-bus.js';
import type { EventBusLogger } from './logger.js';
import { OutboxRepository, OutboxRelayLease, type OutboxRow } from './outbox.repository.js';
import { PARTITIONS } from './partition.js';
import { PartitionBackoff } from './retry-policy.js';
import type { PubSub, PubSubSubscription } from './pub-sub.js';
import { RoundPacer } from './round-pacer.js';
import { UnpublishedTraces, type TracedEvents } from './traceparent.js';
import { WakeSignal } from './wake-signal.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PURGE_BATCH_SIZE = 10_000;

export interface OutboxRelayOptions {
  /** The publishing app; the names of its events start with the name of the app. */
  app: string;
  scope: TransactionScope;
  bus: EventBus;
  logger: EventBusLogger;
  /**
   * Notifies the lease holder of commits of other processes. Without pub/sub, the lease holder finds their rows by
   * polling.
   */
  pubSub?: PubSub;
  clock?: Clock;
  /** Time after which another process replaces a crashed lease holder, milliseconds; 5,000 by default. */
  leaseMs?: number;
  /**
   * Minimum interval between queries, milliseconds, so that under load one query covers several commits and
   * confirmations; 5 by default.
   */
  queryIntervalMs?: number;
  /** Maximum interval between polls when no notification arrives, milliseconds; 1,000 by default. */
  pollIntervalMs?: number;
  /** Number of unpublished rows at which `Outbox.append` starts to reject; 1,000,000 by default. */
  maxBacklog?: number;
  /**
   * Retention of published rows, milliseconds; 7 days by default. If the stream is lost, retained rows are republished,
   * so inbox rows must be retained longer than outbox rows.
   */
  retentionMs?: number;
}

/**
 * Publishes outbox rows. Several processes may run a relay for the same app; only the lease holder publishes. The relay
 * queries unpublished rows regardless of their position, because a lower position may be committed later.
 */
export class OutboxRelay {
  readonly #outbox: OutboxRepository;
  readonly #lease: OutboxRelayLease;
  readonly #confirmations: ConfirmationBatcher;
  readonly #backoff: PartitionBackoff;
  readonly #wakeSignal = new WakeSignal();
  readonly #pacer: RoundPacer;
  /** The publish in progress of each partition. */
  readonly #publishes = new Map<number, Promise<void>>();
  readonly #clock: Clock;
  readonly #pollIntervalMs: number;
  readonly #traces = new UnpublishedTraces();
  #loop: Promise<void> | null = null;
  #wakeSubscription: PubSubSubscription | null = null;
  #isStopping = false;
  #hasLease = false;
  #isFailing = false;
  #mustCheckStream = true;
  /** Identity and highest sequence of the stream that this relay has seen. */
  #streamIdentity = '';
  #streamSequence = 0;

  constructor(private readonly options: OutboxRelayOptions) {
    const leaseMs = options.leaseMs ?? 5_000;
    this.#clock = options.clock ?? systemClock;
    this.#pacer = new RoundPacer(options.queryIntervalMs ?? 5);
    this.#pollIntervalMs = Math.min(options.pollIntervalMs ?? 1_000, leaseMs / 3);
    this.#outbox = new OutboxRepository(options.scope);
    this.#lease = new OutboxRelayLease(options.scope, leaseMs);
    this.#confirmations = new ConfirmationBatcher((positions, sequence) =>
      this.#outbox.markPublished(this.#lease.holder, positions, sequence),
    );
    this.#backoff = new PartitionBackoff(options.logger);
  }

  start(): void {
    if (this.#loop) return;
    const onNotification = (data: unknown): void => {
      this.#traces.addReceived(data);
      this.#wakeSignal.notify();
    };
    this.#wakeSubscription = this.options.pubSub?.subscribe(this.#wakeSubject, onNotification) ?? null;
    this.#loop = this.#run();
  }

  /**
   * Wakes the relay after a commit that appended events. Never throws and never blocks.
   *
   * @param traced - these events if they are traced; sent to the process that publishes them
   */
  notify(traced?: TracedEvents): void {
    if (this.#hasLease) this.#wakeSignal.notify();
    else this.options.pubSub?.publish(this.#wakeSubject, traced ?? null);
  }

  /** Remembers the trace of events until they are published. */
  rememberTrace(traced: TracedEvents): void {
    this.#traces.add(traced);
  }

  /** Stops after the envelopes in progress and releases the lease. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeSubscription?.close();
    this.#wakeSignal.notify();
    await this.#loop;
    await Promise.all(this.#publishes.values());
    try {
      await this.#lease.release();
    } catch (error) {
      this.options.logger.warn('Outbox lease release failed', { app: this.options.app, error });
    }
  }

  /** Returns the number of unpublished rows, at most `maxBacklog`. */
  countBacklog(): Promise<number> {
    return this.#outbox.countUnpublished(this.#maxBacklog);
  }

  /**
   * Republishes events appended at or after `since` (Unix milliseconds), for consumers that were down for longer than
   * the stream's retention. Returns the number of events.
   */
  async republish(since: number): Promise<number> {
    const events = await this.#outbox.requeueSince(since);
    this.notify();
    return events;
  }

  /**
   * Deletes published rows past their retention, also behind rows that cannot be published. Returns the number of
   * deleted rows.
   */
  async purge(): Promise<number> {
    const expiredBefore = this.#clock.now() - (this.options.retentionMs ?? 7 * DAY_MS);
    let total = 0;
    for (let after: string | null = '0'; after !== null;) {
      const page = await this.#outbox.deletePublished(expiredBefore, after, PURGE_BATCH_SIZE);
      total += page.deleted;
      after = page.position;
    }
    return total;
  }

  get #wakeSubject(): string {
    return `relay.${this.options.app}`;
  }

  get #maxBacklog(): number {
    return this.options.maxBacklog ?? 1_000_000;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#runOnce();
        if (this.#isFailing) this.options.logger.info('Outbox relay recovered', { app: this.options.app });
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) this.options.logger.error('Outbox relay failed', { app: this.options.app, error });
        this.#isFailing = true;
      }
      await this.#wakeSignal.wait(this.#pollIntervalMs);
      if (!this.#isStopping) await this.#pacer.waitForTurn();
    }
  }

  async #runOnce(): Promise<void> {
    const lease = await this.#lease.acquireOrRenew();
    this.#hasLease = lease !== 'denied';
    if (!this.#hasLease) {
      this.#mustCheckStream = true;
      return;
    }
    if (this.#mustCheckStream || lease === 'renewed') await this.#checkStream();
    if (lease === 'renewed') await this.#checkBacklog();
    await this.#publishPending();
  }

  /** Checks whether the stream was recreated or lost its newest messages; if so, republishes all retained events. */
  async #checkStream(): Promise<void> {
    const highest = this.#streamSequence;
    const position = await this.options.bus.position();
    const isUnchanged = position.identity === this.#streamIdentity && position.sequence >= highest;
    if (!isUnchanged) await this.#recordStream();
    this.#mustCheckStream = false;
  }

  /** Stores the position of the current stream, and queues all retained events again if the stream has lost events. */
  async #recordStream(): Promise<void> {
    const { scope, bus, logger, app } = this.options;
    // Waits for the envelopes in progress, which the old stream may still confirm. If such a confirmation arrived after
    // the rows are queued again, it would mark rows as published that the new stream does not contain.
    await Promise.all(this.#publishes.values());
    const position = await bus.position();
    const events = await scope.run(async () => {
      const stream = await this.#lease.recordStreamPosition(position);
      return stream === 'lost' ? this.#outbox.requeueSince(0) : 0;
    });
    if (events > 0) logger.warn('Event stream lost events, republishing', { app, events });
    this.#streamIdentity = position.identity;
    this.#streamSequence = position.sequence;
  }

  async #checkBacklog(): Promise<void> {
    const backlog = await this.countBacklog();
    const isFull = backlog >= this.#maxBacklog;
    if (isFull) this.options.logger.error('Outbox is full, rejecting events', { app: this.options.app, backlog });
    await this.#lease.setOutboxFull(isFull);
  }

  /**
   * Publishes the next envelope of every idle partition. Each completed publish wakes the loop, which publishes the
   * following envelope of the partition.
   */
  async #publishPending(): Promise<void> {
    const idle = [...Array(PARTITIONS).keys()].filter(
      (partition) => !this.#publishes.has(partition) && !this.#backoff.isBackingOff(partition),
    );
    if (idle.length === 0) return;
    const rows = await this.#outbox.findUnpublished(idle, MAX_ENVELOPE_EVENTS);
    for (const partition of idle) {
      const pending = rows.filter((row) => row.partition === partition);
      if (pending.length === 0) continue;
      const count = countEventsThatFit(pending.map((row) => row.payloadBytes));
      this.#publishes.set(partition, this.#publishAndConfirm(partition, pending.slice(0, count)));
    }
  }

  async #publishAndConfirm(partition: number, rows: readonly OutboxRow[]): Promise<void> {
    try {
      const sequence = await this.#publish(partition, rows);
      await this.#confirmations.add(
        rows.map((row) => row.position),
        sequence,
      );
      this.#backoff.reset(partition);
    } catch (error) {
      this.#backoff.start(partition, error, () => this.#wakeSignal.notify());
      this.#mustCheckStream = true;
    } finally {
      this.#publishes.delete(partition);
      this.#wakeSignal.notify();
    }
  }

  async #publish(partition: number, rows: readonly OutboxRow[]): Promise<number | null> {
    const highest = this.#streamSequence;
    const events = rows.map((row) => this.#traces.attachTo(row.event));
    const { sequence } = await this.options.bus.publish(createEnvelope(this.options.app, partition, events));
    this.#traces.delete(events.map(({ id }) => id));
    if (sequence === null) return null;
    if (sequence <= highest) throw new StreamLostError(sequence, highest);
    this.#streamSequence = Math.max(this.#streamSequence, sequence);
    return sequence;
  }
}
