import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventConsumer } from './consumer.js';
import type { Logger } from './logger.js';
import type { Messaging } from './messaging.js';
import { Relay } from './relay.js';

const UPKEEP_MS = 60 * 60 * 1000;

export interface AppEventsOptions {
  /** `userctx`, `mcdisk` or `gateway`. */
  app: string;
  scope: TransactionScope;
  messaging: Messaging;
  logger: Logger;
  /** How long what is committed may wait for more to be published with it, milliseconds; see the relay. */
  gatherMs?: number;
}

/** One app's traffic with the bus: its relay, its consumer, and the upkeep of their tables. */
export class AppEvents<Events> {
  private readonly relay: Relay;
  private upkeep?: NodeJS.Timeout;

  constructor(
    private readonly options: AppEventsOptions,
    private readonly consumer: EventConsumer<Events>,
  ) {
    const { app, scope, messaging, logger, gatherMs } = options;
    this.relay = new Relay({ app, scope, bus: messaging.bus, signals: messaging.signals, logger, gatherMs });
  }

  /** To be called when something was committed to the outbox. */
  wake(): void {
    this.relay.wake();
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
      this.options.logger.warn('Old events could not be purged, next try in an hour', { error });
    }
  }
}
