import type { DatabaseAddress } from '@family-watch/platform/database/connection';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { maintainLocationPartitions } from './location-partitions.js';

/** Partitions are made seven days ahead, so that a few failures in a row do no harm. Milliseconds. */
const EVERY = 6 * 3_600_000;

/**
 * Keeps the partitions of positions at start and from then on. It belongs to whoever holds the connection of the
 * schema's owner (the standalone server, or the maintenance job): the run-time role cannot do it.
 */
export class LocationPartitionMaintainer extends PeriodicJob {
  /** @param owner - connection of the schema's owner, MIGRATION_DATABASE_URL */
  constructor(
    private readonly owner: DatabaseAddress,
    every = EVERY,
  ) {
    super(every);
  }

  /** Resolves after a first round. While rounds fail, the default partition holds all. */
  override async start(): Promise<void> {
    await super.start();
    await this.runSafely();
  }

  async run(): Promise<void> {
    await maintainLocationPartitions(this.owner, { now: Date.now() });
  }
}
