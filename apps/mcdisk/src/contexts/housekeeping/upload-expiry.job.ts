import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { StoreIdentityService } from '../garbage-collection/store-identity.service.js';
import { UploadRepository } from '../uploads/upload.repository.js';

const INTERVAL_MS = 60_000;
const BATCH = 200;
/** Somebody else may be removing the bytes right now. */
const HALF_DELETED_MS = 10 * 60_000;
/** How long `completeUpload` can still be asked, milliseconds. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

/** What one round did. */
export interface UploadExpiryResult {
  expired: number;
  removedBlobs: number;
}

/**
 * Clears up after uploads that never ended and processes that died in one: frees their quota and removes their
 * bytes. Every replica runs it; they take different rows.
 */
@Injectable()
export class UploadExpiryJob extends PeriodicJob {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly blobs: BlobRepository,
    private readonly disposal: BlobDeletionService,
    private readonly clouds: CloudRepository,
    private readonly marks: StoreIdentityService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds; what is over by then is cleared up */
  async run(now = Date.now()): Promise<UploadExpiryResult> {
    const expired = await this.expireUploads(now);
    const removedBlobs = await this.removeBlobs(now);
    await this.uploads.deleteTerminated(now - REMEMBERED_MS, BATCH);
    if (expired + removedBlobs > 0) this.logger.log({ msg: 'Upload expiry finished', expired, removedBlobs });
    return { expired, removedBlobs };
  }

  private async expireUploads(now: number): Promise<number> {
    let total = 0;
    for (let count = BATCH; count === BATCH; total += count) {
      count = await this.unitOfWork.run(async () => {
        const ended = await this.uploads.expire(now, BATCH);
        await this.clouds.releaseReservations(ended);
        return ended.length;
      });
    }
    return total;
  }

  /** An upload that a restored database takes for abandoned may have been acknowledged after it was saved. */
  private async removeBlobs(now: number): Promise<number> {
    const verdict = await this.marks.verify();
    if (!verdict.fits) {
      this.logger.error({ msg: 'Blob deletion suspended: run mcdisk:fsck', reason: verdict.reason });
      return 0;
    }
    const abandoned = await this.blobs.abandonExpiredStaged(now, BATCH);
    const unfinished = await this.blobs.claimUnfinishedDeletions(now - HALF_DELETED_MS, BATCH);
    const keys = [...abandoned, ...unfinished];
    for (const key of keys) await this.disposal.remove(key);
    return keys.length;
  }
}
