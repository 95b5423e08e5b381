import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { type Clock, systemClock } from './clock.js';
import { ConfirmationBatcher } from './confirmation-batcher.js';
import { countEventsThatFit, MAX_ENVELOPE_EVENTS, createEnvelope } from './envelope.js';
import { StreamLostError } from './errors.js';
import type { EventBus } from './event-bus.js';
import type { EventBusLogger } from './logger.js';
import { OutboxRepository, type OutboxRow } from './outbox.repository.js';
import { PARTITIONS } from './partition.js';
import { PartitionBackoff } from './partition-backoff.js';
import { OutboxRelayLease } from './outbox-relay-lease.js';
import type { PubSub, PubSubSubscription } from './pub-sub.js';
import { WakeSignal } from './wake-signal.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PURGE_ROWS = 10_000;

export interface OutboxRelayOptions {
  /** Name of the app, first part of its events' names. */
  app: string;
  scope: TransactionScope;
  bus: EventBus;
  logger: EventBusLogger;
  /** Lets a process that does not hold the lease wake the one that does; without it that one's poll finds the rows. */
  pubSub?: PubSub;
  clock?: Clock;
  /** Time after which another process replaces a dead one, milliseconds. */
  leaseMs?: number;
  /** What is committed, published or confirmed within this time is looked at once, milliseconds; 5 by default. */
  lingerMs?: number;
  /** Longest time that a row waits when no wake-up arrives, milliseconds. */
  pollMs?: number;
  /** Unconfirmed rows from which on `Outbox.append` refuses. */
  maxBacklog?: number;
  /** How long confirmed rows stay, for a stream that must be filled again. Inbox keys must live longer. */
  retentionMs?: number;
}

/**
 * Publishes what the outbox holds. Several processes may run one for the same app; the lease lets one work.
 * It takes unconfirmed rows whatever their position, since a lower position may be committed later.
 */
export class OutboxRelay {
  readonly #outbox: OutboxRepository;
  readonly #lease: OutboxRelayLease;
  readonly #confirmations: ConfirmationBatcher;
  readonly #pauses: PartitionBackoff;
  readonly #wakeSignal = new WakeSignal();
  readonly #shipments = new Map<number, Promise<void>>();
  readonly #clock: Clock;
  readonly #pollMs: number;
  #loop: Promise<void> | null = null;
  #signalled: PubSubSubscription | null = null;
  #stopping = false;
  #holding = false;
  #failing = false;
  #streamSuspect = true;
  /** Identity and highest sequence of the stream as far as this relay knows. */
  #streamIdentity = '';
  #streamSequence = 0;

  constructor(private readonly options: OutboxRelayOptions) {
    const leaseMs = options.leaseMs ?? 5_000;
    this.#clock = options.clock ?? systemClock;
    this.#pollMs = Math.min(options.pollMs ?? 1_000, leaseMs / 3);
    this.#outbox = new OutboxRepository(options.scope);
    this.#lease = new OutboxRelayLease(options.scope, leaseMs);
    this.#confirmations = new ConfirmationBatcher((positions, sequence) =>
      this.#outbox.markPublished(this.#lease.holder, positions, sequence),
    );
    this.#pauses = new PartitionBackoff(options.logger);
  }

  start(): void {
    if (this.#loop) return;
    this.#signalled = this.options.pubSub?.subscribe(this.#wakeSubject, () => this.#wakeSignal.notify()) ?? null;
    this.#loop = this.#run();
  }

  /** To be called after a commit that appended events; never throws, never waits. */
  notify(): void {
    if (this.#holding) this.#wakeSignal.notify();
    else this.options.pubSub?.publish(this.#wakeSubject, null);
  }

  /** Ends after the envelopes under way and frees the lease. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#signalled?.close();
    this.#wakeSignal.notify();
    await this.#loop;
    await Promise.all(this.#shipments.values());
    try {
      await this.#lease.release();
    } catch (error) {
      this.options.logger.warn('Outbox lease release failed', { app: this.options.app, error });
    }
  }

  /** Unconfirmed rows, counted no further than the backlog may grow. */
  countBacklog(): Promise<number> {
    return this.#outbox.countUnpublished(this.#maxBacklog);
  }

  /**
   * Publishes again what was appended at or after `since` (Unix milliseconds), for consumers that were away for
   * longer than the stream keeps. Returns the number of events.
   */
  async republish(since: number): Promise<number> {
    const events = await this.#outbox.requeueSince(since);
    this.notify();
    return events;
  }

  /** Deletes confirmed rows past their retention. Returns how many. */
  async purge(): Promise<number> {
    const until = this.#clock.now() - (this.options.retentionMs ?? 7 * DAY_MS);
    let total = 0;
    let deleted: number;
    do {
      deleted = await this.#outbox.deletePublished(until, PURGE_ROWS);
      total += deleted;
    } while (deleted === PURGE_ROWS);
    return total;
  }

  get #wakeSubject(): string {
    return `relay.${this.options.app}`;
  }

  get #maxBacklog(): number {
    return this.options.maxBacklog ?? 1_000_000;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#turn();
        if (this.#failing) this.options.logger.info('Outbox relay recovered', { app: this.options.app });
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.options.logger.error('Outbox relay failed', { app: this.options.app, error });
        this.#failing = true;
      }
      await this.#wakeSignal.wait(this.#pollMs);
      if (!this.#stopping) await sleep(this.options.lingerMs ?? 5);
    }
  }

  async #turn(): Promise<void> {
    const lease = await this.#lease.acquireOrRenew();
    this.#holding = lease !== 'refused';
    if (!this.#holding) {
      this.#streamSuspect = true;
      return;
    }
    if (this.#streamSuspect || lease === 'renewed') await this.#checkStream();
    if (lease === 'renewed') await this.#checkBacklog();
    await this.#sweep();
  }

  /** Finds out whether the stream is new or has lost its tail, and if so has everything published again. */
  async #checkStream(): Promise<void> {
    const known = this.#streamSequence;
    const position = await this.options.bus.position();
    const unchanged = position.identity === this.#streamIdentity && position.sequence >= known;
    if (!unchanged) await this.#adoptStream();
    this.#streamSuspect = false;
  }

  async #adoptStream(): Promise<void> {
    const { scope, bus, logger, app } = this.options;
    // What is under way may be confirmed by the old stream; nothing may be confirmed after the rows are reset.
    await Promise.all(this.#shipments.values());
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
    const full = backlog >= this.#maxBacklog;
    if (full) this.options.logger.error('Outbox is full, rejecting events', { app: this.options.app, backlog });
    await this.#lease.setOutboxFull(full);
  }

  /** Ships the next envelope of every partition that is not busy; its end wakes the loop for the one after it. */
  async #sweep(): Promise<void> {
    const free = [...Array(PARTITIONS).keys()].filter(
      (partition) => !this.#shipments.has(partition) && !this.#pauses.isBackingOff(partition),
    );
    if (free.length === 0) return;
    const rows = await this.#outbox.findUnpublished(free, MAX_ENVELOPE_EVENTS);
    for (const partition of free) {
      const waiting = rows.filter((row) => row.partition === partition);
      if (waiting.length === 0) continue;
      const length = countEventsThatFit(waiting.map((row) => row.payloadBytes));
      this.#shipments.set(partition, this.#ship(partition, waiting.slice(0, length)));
    }
  }

  async #ship(partition: number, rows: readonly OutboxRow[]): Promise<void> {
    try {
      const sequence = await this.#publish(partition, rows);
      await this.#confirmations.add(
        rows.map((row) => row.position),
        sequence,
      );
      this.#pauses.reset(partition);
    } catch (error) {
      this.#pauses.start(partition, error, () => this.#wakeSignal.notify());
      this.#streamSuspect = true;
    } finally {
      this.#shipments.delete(partition);
      this.#wakeSignal.notify();
    }
  }

  async #publish(partition: number, rows: readonly OutboxRow[]): Promise<number | null> {
    const known = this.#streamSequence;
    const events = rows.map((row) => row.event);
    const { sequence } = await this.options.bus.publish(createEnvelope(this.options.app, partition, events));
    if (sequence === null) return null;
    if (sequence <= known) throw new StreamLostError(sequence, known);
    this.#streamSequence = Math.max(this.#streamSequence, sequence);
    return sequence;
  }
}
