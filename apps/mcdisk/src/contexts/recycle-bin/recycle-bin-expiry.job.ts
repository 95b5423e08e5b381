import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { pauseAfterWork } from './background-throttle.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 200;

/** Purges what has been in a recycle bin for its time. Every replica runs it; they take different contents. */
@Injectable()
export class RecycleBinExpiryJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly bin: RecycleBinRepository,
    private readonly purging: ContentPurgeService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** Ends after the batch under way. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }

  /**
   * @param now Unix milliseconds; what is over by then goes
   * @returns how many contents went; what somebody else has locked is left to the next round
   */
  async run(now = Date.now()): Promise<number> {
    let [total, from] = [0, 0];
    while (!this.stopping.signal.aborted) {
      const begun = Date.now();
      const taken = await this.unitOfWork.run(async () => {
        const contents = await this.bin.claimExpired({ from, until: now, limit: BATCH });
        await this.purging.purge(contents, null, now);
        return contents;
      });
      total += taken.length;
      if (taken.length < BATCH) break;
      from = taken.at(-1)?.purgeAt ?? 0;
      await sleep(pauseAfterWork(Date.now() - begun), undefined, { signal: this.stopping.signal }).catch(
        () => undefined,
      );
    }
    return total;
  }
}
