import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadState } from '@family-watch/domain/family-cloud/contracts/upload';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { UploadLeasesService } from './upload-leases.service.js';
import { UploadRepository } from './upload.repository.js';
import type { TerminatedUpload } from './upload.repository.js';

/** The ways out of an upload without a content: its quota is free in the same moment, its bytes go afterwards. */
@Injectable()
export class UploadTerminationService {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly disposal: BlobDeletionService,
    private readonly leases: UploadLeasesService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** What came was not what had been announced, or of somebody who may no longer add. */
  refuse(contentId: string, holder?: string): Promise<void> {
    return this.end(contentId, UPLOAD_STATE.REFUSED, holder);
  }

  /** Somebody gave it up. */
  abort(contentId: string, holder?: string): Promise<void> {
    return this.end(contentId, UPLOAD_STATE.ABORTED, holder);
  }

  /** Ends what is still open of the uploads, inside of the caller's unit of work. */
  async terminate(contentIds: readonly string[], state: UploadState, holder?: string): Promise<TerminatedUpload[]> {
    if (contentIds.length === 0) return [];
    const ended = await this.uploads.terminate(contentIds, state, holder);
    await this.clouds.releaseReservations(ended);
    return ended;
  }

  /** Stops who is still sending, and removes the bytes of what nobody is sending; the janitor takes the rest. */
  async cleanUp(ended: readonly TerminatedUpload[], holder?: string): Promise<void> {
    for (const { contentId, cloudId, blobKey, leaseHolder } of ended) {
      this.leases.stopLocal(contentId);
      const isIdle = leaseHolder === null || leaseHolder === holder;
      if (blobKey !== null && isIdle) await this.disposal.abandon(cloudId, blobKey);
    }
  }

  private async end(contentId: string, state: UploadState, holder?: string): Promise<void> {
    const ended = await this.unitOfWork.run(() => this.terminate([contentId], state, holder));
    await this.cleanUp(ended, holder);
  }
}
