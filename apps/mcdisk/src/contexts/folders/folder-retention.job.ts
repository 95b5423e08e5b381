import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FolderRepository } from './folder.repository.js';

const INTERVAL_MS = 60 * 60 * 1_000;
/** How long deleted folders are retained, so that running batch tasks still find the folders that they have planned. */
const RETENTION_MS = 24 * 60 * 60 * 1_000;
const BATCH_SIZE = 500;

/**
 * Deletes the rows of deleted folders to which no content can be restored any more. Replicas process different rows.
 */
@Injectable()
export class FolderRetentionJob extends PeriodicJob {
  constructor(private readonly folders: FolderRepository) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds */
  async run(now = Date.now()): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = await this.folders.deleteUnreferenced(now - RETENTION_MS, BATCH_SIZE);
      total += count;
    } while (count > 0);
    return total;
  }
}
