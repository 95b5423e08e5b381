import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BlobGarbageCollectorService } from './blob-garbage-collector.service.js';
import { OrphanCollectorService } from './orphan-collector.service.js';
import { StoreIdentityService } from './store-identity.service.js';

const INTERVAL_MS = 60_000;

/** What one round did. */
export interface GarbageCollectionResult {
  condemned: number;
  removed: number;
  orphans: number;
}

const NOTHING: GarbageCollectionResult = { condemned: 0, removed: 0, orphans: 0 };

/**
 * Gives back the room of bytes that nobody can ask for any more. Every replica runs it; they take different blobs.
 * Nothing is removed from a store that does not belong to the database, or that has seen more than the database.
 */
@Injectable()
export class GarbageCollectionJob extends PeriodicJob {
  constructor(
    private readonly blobs: BlobGarbageCollectorService,
    private readonly orphans: OrphanCollectorService,
    private readonly marks: StoreIdentityService,
  ) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds; what is over by then is collected */
  async run(now = Date.now()): Promise<GarbageCollectionResult> {
    const verdict = await this.marks.verify();
    if (!verdict.fits) {
      this.logger.error({ msg: 'Garbage collection suspended: run mcdisk:fsck', reason: verdict.reason });
      return NOTHING;
    }
    await this.marks.advanceGeneration(now);
    const condemned = await this.blobs.condemnUnreferenced(now);
    const removed = (await this.blobs.removeCondemned(now)) + (await this.blobs.resumeDeletions(now));
    await this.blobs.deleteTombstones(now);
    const orphans = await this.orphans.run(now);
    if (condemned + removed + orphans > 0) {
      this.logger.log({ msg: 'Garbage collection finished', condemned, removed, orphans });
    }
    return { condemned, removed, orphans };
  }
}
