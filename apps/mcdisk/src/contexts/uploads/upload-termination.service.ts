import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { UploadState } from '@family-watch/domain/family-cloud/contracts/blob';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { UploadLeasesService } from './upload-leases.service.js';
import { UploadRepository } from './upload.repository.js';
import type { TerminatedUpload } from './upload.repository.js';

/**
 * Terminates uploads without creating a content. The reserved quota is released in the transaction that ends the
 * upload; the bytes are deleted after the commit.
 */
@Injectable()
export class UploadTerminationService {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly leases: UploadLeasesService,
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
   * UploadExpiryJob deletes bytes that remain.
   */
  async cleanUp(terminated: readonly TerminatedUpload[], holder?: string): Promise<void> {
    for (const { contentId, cloudId, blobKey, leaseHolder } of terminated) {
      this.leases.stopLocal(contentId);
      const isIdle = leaseHolder === null || leaseHolder === holder;
      if (blobKey !== null && isIdle) await this.blobDeletion.deleteStaged(cloudId, blobKey);
    }
  }

  private async terminateOne(contentId: string, state: UploadState, holder?: string): Promise<void> {
    const terminated = await this.unitOfWork.run(() => this.terminate([contentId], state, holder));
    await this.cleanUp(terminated, holder);
  }
}
