import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FolderRepository } from './folder.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** A task over whole folders that is under way still finds those it has planned. */
const KEPT_MS = 24 * HOUR_MS;
const BATCH = 500;

/** Forgets deleted folders out of which nothing can be restored any more. Every replica runs it on other rows. */
@Injectable()
export class FolderRetentionJob extends PeriodicJob {
  constructor(private readonly catalogs: FolderRepository) {
    super(HOUR_MS);
  }

  /** @param now Unix milliseconds */
  async run(now = Date.now()): Promise<number> {
    let total = 0;
    let count: number;
    do {
      count = await this.catalogs.deleteUnreferenced(now - KEPT_MS, BATCH);
      total += count;
    } while (count > 0);
    return total;
  }
}
