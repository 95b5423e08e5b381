import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BlobGarbageCollectorService } from './blob-garbage-collector.service.js';
import { OrphanCollectorService } from './orphan-collector.service.js';
import { StoreIdentityService } from './store-identity.service.js';

const INTERVAL_MS = 60_000;

/** Numbers of blobs that one run changed or deleted. */
export interface GarbageCollectionResult {
  condemnedCount: number;
  deletedCount: number;
  deletedOrphanCount: number;
}

const EMPTY_RESULT: GarbageCollectionResult = { condemnedCount: 0, deletedCount: 0, deletedOrphanCount: 0 };

/**
 * Deletes blobs that are not referenced any more. Every replica runs this job; replicas process different rows. Deletes
 * nothing when the store belongs to another database or to a newer state of this database.
 */
@Injectable()
export class GarbageCollectionJob extends PeriodicJob {
  constructor(
    private readonly blobs: BlobGarbageCollectorService,
    private readonly orphans: OrphanCollectorService,
    private readonly storeIdentity: StoreIdentityService,
  ) {
    super(INTERVAL_MS);
  }

  /**
   * Runs one collection.
   * @param now Unix milliseconds; blobs whose grace period ended before this time are deleted
   */
  async run(now = Date.now()): Promise<GarbageCollectionResult> {
    const verification = await this.storeIdentity.verify();
    if (!verification.isMatching) {
      this.logger.error({ msg: 'Garbage collection suspended: run mcdisk:fsck', reason: verification.reason });
      return EMPTY_RESULT;
    }
    await this.storeIdentity.advanceGeneration(now);
    const condemned = await this.blobs.condemnUnreferenced(now);
    const removed = (await this.blobs.removeCondemned(now)) + (await this.blobs.resumeDeletions(now));
    await this.blobs.deleteTombstones(now);
    const orphans = await this.orphans.run(now);
    if (condemned + removed + orphans > 0) {
      this.logger.log({ msg: 'Garbage collection finished', condemned, removed, orphans });
    }
    return { condemnedCount: condemned, deletedCount: removed, deletedOrphanCount: orphans };
  }
}
