import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { OPERATOR_COMMAND, type EventBusLogger } from './logger.js';
import { type EventBusStatus, findDegradations, queryEventBusStatus } from './event-bus-status.js';
import type { EventConsumer } from './event-consumer.js';
import type { Messaging } from './messaging.js';
import { OutboxRelay } from './outbox-relay.js';
import type { ProjectionMonitor } from './projection-monitor.js';
import type { TracedEvents } from './traceparent.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1000;
const STATUS_INTERVAL_MS = 5_000;
/** Value of `lastDegradations` after a failed status query. */
const STATUS_UNAVAILABLE = 'status unavailable';
/** Milliseconds for which a status is reused, because health checks may be frequent. */
const STATUS_TTL_MS = 1_000;

export interface EventBusRuntimeOptions {
  /** `userctx`, `mcdisk` or `gateway`. */
  app: string;
  scope: TransactionScope;
  messaging: Messaging;
  logger: EventBusLogger;
  /** Minimum interval between queries of the relay, milliseconds; see `OutboxRelayOptions`. */
  queryIntervalMs?: number;
  /** Monitor of the app's projections; absent if the app has none. */
  projections?: ProjectionMonitor;
}

/**
 * Runs one app's outbox relay, event consumer and projection monitor, reports their status, and purges their tables
 * every hour.
 */
export class EventBusRuntime {
  private readonly relay: OutboxRelay;
  private purgeTimer?: NodeJS.Timeout;
  private statusTimer?: NodeJS.Timeout;
  private lastStatus?: { queriedAt: number; status: Promise<EventBusStatus> };
  /** The degradations that were logged last, as comma-separated text. */
  private lastDegradations = '';

  constructor(
    private readonly options: EventBusRuntimeOptions,
    private readonly consumer: Pick<EventConsumer<never>, 'start' | 'stop' | 'purge'>,
  ) {
    const { app, scope, messaging, logger, queryIntervalMs } = options;
    this.relay = new OutboxRelay({
      app,
      scope,
      bus: messaging.bus,
      pubSub: messaging.pubSub,
      logger,
      queryIntervalMs,
    });
  }

  /** Wakes the relay after a commit that appended events; `traced` are these events if they are traced. */
  notifyOutbox(traced?: TracedEvents): void {
    this.relay.notify(traced);
  }

  /** Passes the trace of events that are about to be committed to the relay. */
  rememberTrace(traced: TracedEvents): void {
    this.relay.rememberTrace(traced);
  }

  /** Subscribes the handlers and starts publishing. All handlers must be registered before `start`. */
  async start(): Promise<void> {
    await this.options.projections?.start();
    await this.consumer.start();
    this.relay.start();
    this.purgeTimer = setInterval(() => void this.purge(), PURGE_INTERVAL_MS).unref();
    this.statusTimer = setInterval(() => void this.logDegradations(), STATUS_INTERVAL_MS).unref();
    await this.logDegradations();
  }

  /** Stops the relay and the consumer after their work in progress. */
  async stop(): Promise<void> {
    clearInterval(this.purgeTimer);
    clearInterval(this.statusTimer);
    await this.lastStatus?.status.catch(() => undefined);
    await this.relay.stop();
    await this.consumer.stop();
    await this.options.projections?.stop();
  }

  /** Returns a status that is at most one second old. Rejects if the database is unavailable. */
  status(): Promise<EventBusStatus> {
    const now = performance.now();
    if (!this.lastStatus || now - this.lastStatus.queriedAt > STATUS_TTL_MS)
      this.lastStatus = { queriedAt: now, status: this.queryStatus() };
    return this.lastStatus.status;
  }

  private async queryStatus(): Promise<EventBusStatus> {
    const { app, scope, projections } = this.options;
    const status = await queryEventBusStatus(app, scope);
    return projections ? { ...status, projections: projections.status } : status;
  }

  /** Logs the degradations of this app's event bus whenever they change. */
  private async logDegradations(): Promise<void> {
    const { logger } = this.options;
    try {
      const status = await this.status();
      const degradations = findDegradations(status).join(', ');
      if (degradations === this.lastDegradations) return;
      const { unpublished, retries, deadLetters } = status;
      const fields = { degradations, unpublished, retries, deadLetters };
      if (degradations) logger.error('Event bus is degraded', { ...fields, command: OPERATOR_COMMAND });
      else logger.info('Event bus is no longer degraded', fields);
      this.lastDegradations = degradations;
    } catch (error) {
      // Logged once per outage of the database.
      if (this.lastDegradations !== STATUS_UNAVAILABLE) logger.warn('Event bus status query failed', { error });
      this.lastDegradations = STATUS_UNAVAILABLE;
    }
  }

  private async purge(): Promise<void> {
    try {
      await this.relay.purge();
      await this.consumer.purge();
    } catch (error) {
      this.options.logger.warn('Purge of old events failed', { error });
    }
  }
}
