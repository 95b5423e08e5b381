import { Injectable, Logger } from '@nestjs/common';
import { UPLOAD_STATE, type UploadState } from '@family-watch/domain/family-cloud/contracts/blob';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';
import { BlobDeletionService } from '../../storage/blobs/blob-deletion.service.js';
import { StoreIdentityService } from '../../storage/garbage-collection/store-identity.service.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { UploadLeasesService } from './upload-leases.service.js';
import { UploadRepository, type TerminatedUpload } from './upload.repository.js';

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
 * Terminates uploads without creating a content. The reserved quota is released in the transaction that ends the
 * upload; the bytes are deleted after the commit.
 */
@Injectable()
export class UploadTerminationService {
  private readonly logger = new Logger(UploadTerminationService.name);

  constructor(
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly blobs: BlobRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly leases: UploadLeasesService,
    private readonly storeIdentity: StoreIdentityService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Rejects an upload whose bytes differ from the announcement, or whose sender may no longer add contents. */
  reject(contentId: string, holder?: string): Promise<void> {
    return this.terminateOne(contentId, UPLOAD_STATE.REFUSED, holder);
  }

  /** Aborts an upload at the client's request. */
  abort(contentId: string, holder?: string): Promise<void> {
    return this.terminateOne(contentId, UPLOAD_STATE.ABORTED, holder);
  }

  /** Terminates the uploads that are still open, in the current transaction. */
  async terminate(contentIds: readonly string[], state: UploadState, holder?: string): Promise<TerminatedUpload[]> {
    if (contentIds.length === 0) return [];
    const terminated = await this.uploads.terminate(contentIds, state, holder);
    await this.clouds.releaseReservations(terminated);
    return terminated;
  }

  /**
   * Stops requests that still send bytes of terminated uploads, and deletes the bytes of the other uploads.
   * {@link expire} deletes bytes that remain.
   */
  async cleanUp(terminated: readonly TerminatedUpload[], holder?: string): Promise<void> {
    for (const { contentId, cloudId, blobKey, leaseHolder } of terminated) {
      this.leases.stopLocal(contentId);
      const isIdle = leaseHolder === null || leaseHolder === holder;
      if (blobKey !== null && isIdle) await this.blobDeletion.deleteStaged(cloudId, blobKey);
    }
  }

  /**
   * Terminates uploads that were not finished in time or whose process crashed. Releases the quota of terminated
   * uploads and deletes their bytes. Replicas process different rows.
   * @param now Unix milliseconds; uploads that expired before this time are terminated
   */
  @OnJob('mcdisk.uploads.expire', { intervalMs: 60_000 })
  async expire(now: number): Promise<UploadExpiryResult> {
    const expired = await this.expireUploads(now);
    const removedBlobs = await this.removeBlobs(now);
    while ((await this.uploads.deleteTerminated(now - RETENTION_MS, BATCH_SIZE)) === BATCH_SIZE);
    if (expired + removedBlobs > 0) this.logger.log({ msg: 'Upload expiry finished', expired, removedBlobs });
    return { expiredUploads: expired, removedBlobs };
  }

  private async terminateOne(contentId: string, state: UploadState, holder?: string): Promise<void> {
    const terminated = await this.unitOfWork.run(() => this.terminate([contentId], state, holder));
    await this.cleanUp(terminated, holder);
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
      this.logger.error({ msg: 'Blob deletion suspended: run fsck', reason: verification.reason });
      return 0;
    }
    let total = 0;
    for (let count = BATCH_SIZE; count >= BATCH_SIZE; total += count) {
      const abandoned = await this.blobs.abandonUnreferencedStaged(now, BATCH_SIZE);
      const unfinished = await this.blobs.claimUnfinishedDeletions(now - DELETION_TIMEOUT_MS, BATCH_SIZE);
      const keys = [...abandoned, ...unfinished];
      for (const key of keys) await this.blobDeletion.deleteBytes(key);
      count = keys.length;
    }
    return total;
  }
}
