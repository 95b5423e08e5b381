import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { pauseAfterWork } from './background-throttle.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

const INTERVAL_MS = 10 * 60_000;
const BATCH_SIZE = 200;

/**
 * Purges contents whose time in the recycle bin has expired. Every replica runs this job; replicas process different
 * rows.
 */
@Injectable()
export class RecycleBinExpiryJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly recycleBin: RecycleBinRepository,
    private readonly contentPurge: ContentPurgeService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** Stops the job after the current batch. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }

  /**
   * Purges all expired contents.
   * @param now Unix milliseconds
   * @returns number of purged contents; rows locked by other transactions are left to the next run
   */
  async run(now = Date.now()): Promise<number> {
    let [total, from] = [0, 0];
    while (!this.stopping.signal.aborted) {
      const startedAt = Date.now();
      const claimed = await this.unitOfWork.run(async () => {
        const contents = await this.recycleBin.claimExpired({ from, until: now, limit: BATCH_SIZE });
        await this.contentPurge.purge(contents, null, now);
        return contents;
      });
      total += claimed.length;
      if (claimed.length < BATCH_SIZE) break;
      from = claimed.at(-1)?.purgeAt ?? 0;
      await sleep(pauseAfterWork(Date.now() - startedAt), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
    return total;
  }
}
