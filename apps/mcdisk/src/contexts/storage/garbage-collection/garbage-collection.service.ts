import { Injectable, Logger } from '@nestjs/common';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { BlobGarbageCollectorService } from './blob-garbage-collector.service.js';
import { OrphanCollectorService } from './orphan-collector.service.js';
import { StoreIdentityService } from './store-identity.service.js';

/** Numbers of blobs that one run changed or deleted. */
export interface GarbageCollectionResult {
  condemnedCount: number;
  deletedCount: number;
  deletedOrphanCount: number;
}

const EMPTY_RESULT: GarbageCollectionResult = { condemnedCount: 0, deletedCount: 0, deletedOrphanCount: 0 };

/**
 * Deletes blobs that are not referenced any more. Replicas process different rows. Deletes
 * nothing when the store belongs to another database or to a newer state of this database.
 */
@Injectable()
export class GarbageCollectionService {
  private readonly logger = new Logger(GarbageCollectionService.name);

  constructor(
    private readonly blobs: BlobGarbageCollectorService,
    private readonly orphans: OrphanCollectorService,
    private readonly storeIdentity: StoreIdentityService,
  ) {}

  /**
   * Runs one collection.
   * @param now Unix milliseconds; blobs whose grace period ended before this time are deleted
   */
  @OnJob('mcdisk.storage.collect-garbage', { intervalMs: 60_000 })
  async run(now: number): Promise<GarbageCollectionResult> {
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
