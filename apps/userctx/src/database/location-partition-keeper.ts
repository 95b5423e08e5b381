import { Logger } from '@nestjs/common';
import type { DatabaseAddress } from '@family-watch/platform/database/connection';
import { maintainLocationPartitions } from './location-partitions.js';

/** Partitions are made seven days ahead, so that a few failures in a row do no harm. Milliseconds. */
const EVERY = 6 * 3_600_000;

/**
 * Keeps the partitions of positions at start and from then on. It belongs to whoever holds the connection of the
 * schema's owner (the standalone server, or the maintenance job): the run-time role cannot do it.
 */
export class LocationPartitionKeeper {
  private readonly logger = new Logger(LocationPartitionKeeper.name);
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  /** @param owner - connection of the schema's owner, MIGRATION_DATABASE_URL */
  constructor(
    private readonly owner: DatabaseAddress,
    private readonly every = EVERY,
  ) {}

  /** Resolves after the first run. One that fails is logged and comes again: meanwhile the default partition holds all. */
  async start(): Promise<void> {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.run());
    }, this.every).unref();
    this.running = this.run();
    await this.running;
  }

  /** Ends after the run under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      await maintainLocationPartitions(this.owner, { now: Date.now() });
    } catch (error) {
      this.logger.warn(`Partitions of positions were not kept, next try later: ${String(error)}`);
    }
  }
}
