import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BlobCollector } from './blob-collector.service.js';
import { OrphanCollector } from './orphan-collector.service.js';
import { StoreMarkService } from './store-mark.service.js';

const INTERVAL_MS = 60_000;

/** What one round did. */
export interface CollectedResult {
  condemned: number;
  removed: number;
  orphans: number;
}

const NOTHING: CollectedResult = { condemned: 0, removed: 0, orphans: 0 };

/**
 * Gives back the room of bytes that nobody can ask for any more. Every replica runs it; they take different blobs.
 * Nothing is removed from a store that does not belong to the database, or that has seen more than the database.
 */
@Injectable()
export class CollectorJob extends PeriodicJob {
  constructor(
    private readonly blobs: BlobCollector,
    private readonly orphans: OrphanCollector,
    private readonly marks: StoreMarkService,
  ) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds; what is over by then is collected */
  async run(now = Date.now()): Promise<CollectedResult> {
    const verdict = await this.marks.compare();
    if (!verdict.fits) {
      this.logger.error({ msg: 'Garbage collection suspended: run mcdisk:fsck', reason: verdict.reason });
      return NOTHING;
    }
    await this.marks.mark(now);
    const condemned = await this.blobs.condemnLoose(now);
    const removed = (await this.blobs.removeCondemned(now)) + (await this.blobs.finishHalfDeleted(now));
    await this.blobs.forgetGone(now);
    const orphans = await this.orphans.run(now);
    if (condemned + removed + orphans > 0) {
      this.logger.log({ msg: 'Garbage collection finished', condemned, removed, orphans });
    }
    return { condemned, removed, orphans };
  }
}
