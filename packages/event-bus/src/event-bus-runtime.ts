import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventConsumer } from './event-consumer.js';
import type { EventBusLogger } from './logger.js';
import type { Messaging } from './messaging.js';
import { OutboxRelay } from './outbox-relay.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1000;

export interface EventBusRuntimeOptions {
  /** `userctx`, `mcdisk` or `gateway`. */
  app: string;
  scope: TransactionScope;
  messaging: Messaging;
  logger: EventBusLogger;
  /** Milliseconds that the relay waits for further commits before it publishes; see `OutboxRelayOptions`. */
  lingerMs?: number;
}

/** Runs one app's outbox relay and event consumer, and purges their tables every hour. */
export class EventBusRuntime<Events> {
  private readonly relay: OutboxRelay;
  private purgeTimer?: NodeJS.Timeout;

  constructor(
    private readonly options: EventBusRuntimeOptions,
    private readonly consumer: EventConsumer<Events>,
  ) {
    const { app, scope, messaging, logger, lingerMs } = options;
    this.relay = new OutboxRelay({
      app,
      scope,
      bus: messaging.bus,
      pubSub: messaging.pubSub,
      logger,
      lingerMs,
    });
  }

  /** Wakes the relay after a commit that appended events. */
  notifyOutbox(): void {
    this.relay.notify();
  }

  /** Subscribes the handlers and starts publishing. All handlers must be registered before `start`. */
  async start(): Promise<void> {
    await this.consumer.start();
    this.relay.start();
    this.purgeTimer = setInterval(() => void this.purge(), PURGE_INTERVAL_MS).unref();
  }

  /** Stops the relay and the consumer after their work in progress. */
  async stop(): Promise<void> {
    clearInterval(this.purgeTimer);
    await this.relay.stop();
    await this.consumer.stop();
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
