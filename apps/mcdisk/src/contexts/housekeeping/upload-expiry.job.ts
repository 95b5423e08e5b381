import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { StoreIdentityService } from '../garbage-collection/store-identity.service.js';
import { UploadRepository } from '../uploads/upload.repository.js';

const INTERVAL_MS = 60_000;
const BATCH_SIZE = 200;
/** Age below which a deletion may still be in progress in another process, milliseconds. */
const DELETION_TIMEOUT_MS = 10 * 60_000;
/** How long rows of terminated uploads are retained, so that `completeUpload` still finds them, milliseconds. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;

/** Numbers of uploads and blobs that one run changed or deleted. */
export interface UploadExpiryResult {
  expiredUploads: number;
  removedBlobs: number;
}

/**
 * Terminates uploads that were not finished in time or whose process crashed. Releases the quota of terminated uploads
 * and deletes their bytes. Every replica runs this job; replicas process different rows.
 */
@Injectable()
export class UploadExpiryJob extends PeriodicJob {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly blobs: BlobRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly clouds: CloudRepository,
    private readonly storeIdentity: StoreIdentityService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /**
   * Runs one cleanup.
   * @param now Unix milliseconds; uploads that expired before this time are terminated
   */
  async run(now = Date.now()): Promise<UploadExpiryResult> {
    const expired = await this.expireUploads(now);
    const removedBlobs = await this.removeBlobs(now);
    await this.uploads.deleteTerminated(now - RETENTION_MS, BATCH_SIZE);
    if (expired + removedBlobs > 0) this.logger.log({ msg: 'Upload expiry finished', expired, removedBlobs });
    return { expiredUploads: expired, removedBlobs };
  }

  private async expireUploads(now: number): Promise<number> {
    let total = 0;
    for (let count = BATCH_SIZE; count === BATCH_SIZE; total += count) {
      count = await this.unitOfWork.run(async () => {
        const expiredUploads = await this.uploads.expireOverdue(now, BATCH_SIZE);
        await this.clouds.releaseReservations(expiredUploads);
        return expiredUploads.length;
      });
    }
    return total;
  }

  /**
   * Deletes the bytes of abandoned uploads. Deletes nothing when the store does not match the database, because after a
   * restore from a backup an acknowledged upload may look abandoned.
   */
  private async removeBlobs(now: number): Promise<number> {
    const verification = await this.storeIdentity.verify();
    if (!verification.isMatching) {
      this.logger.error({ msg: 'Blob deletion suspended: run mcdisk:fsck', reason: verification.reason });
      return 0;
    }
    const abandoned = await this.blobs.abandonExpiredStaged(now, BATCH_SIZE);
    const unfinished = await this.blobs.claimUnfinishedDeletions(now - DELETION_TIMEOUT_MS, BATCH_SIZE);
    const keys = [...abandoned, ...unfinished];
    for (const key of keys) await this.blobDeletion.deleteBytes(key);
    return keys.length;
  }
}
