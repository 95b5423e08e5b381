import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventConsumer } from './event-consumer.js';
import type { EventBusLogger } from './logger.js';
import type { Messaging } from './messaging.js';
import { OutboxRelay } from './outbox-relay.js';

const UPKEEP_MS = 60 * 60 * 1000;

export interface EventBusRuntimeOptions {
  /** `userctx`, `mcdisk` or `gateway`. */
  app: string;
  scope: TransactionScope;
  messaging: Messaging;
  logger: EventBusLogger;
  /** How long what is committed may wait for more to be published with it, milliseconds; see the relay. */
  lingerMs?: number;
}

/** One app's traffic with the bus: its relay, its consumer, and the upkeep of their tables. */
export class EventBusRuntime<Events> {
  private readonly relay: OutboxRelay;
  private upkeep?: NodeJS.Timeout;

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

  /** To be called when something was committed to the outbox. */
  notifyOutbox(): void {
    this.relay.notify();
  }

  /** Call it once every handler is registered; what waits in the outbox leaves from now on. */
  async start(): Promise<void> {
    await this.consumer.start();
    this.relay.start();
    this.upkeep = setInterval(() => void this.purge(), UPKEEP_MS).unref();
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    clearInterval(this.upkeep);
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
