import type { DatabaseAddress } from '@family-watch/platform/database/connection';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { maintainLocationPartitions } from './location-partitions.js';

/** Milliseconds between two runs. Partitions are created seven days ahead, so that a few failed runs do no harm. */
const INTERVAL_MS = 6 * 3_600_000;

/**
 * Maintains the partitions of location points at start and periodically. Runs where the schema owner's connection is
 * available (the standalone server or the maintenance process); the run-time role lacks the privileges.
 */
export class LocationPartitionMaintainer extends PeriodicJob {
  /** @param owner - connection of the schema's owner, MIGRATION_DATABASE_URL */
  constructor(
    private readonly owner: DatabaseAddress,
    intervalMs = INTERVAL_MS,
  ) {
    super(intervalMs);
  }

  /** Resolves after the first run. While runs fail, the default partition receives all points. */
  override async start(): Promise<void> {
    await super.start();
    await this.runSafely();
  }

  async run(): Promise<void> {
    await maintainLocationPartitions(this.owner, { now: Date.now() });
  }
}
