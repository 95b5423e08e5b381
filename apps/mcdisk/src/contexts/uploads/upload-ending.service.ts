import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { UploadState } from '@family-watch/domain/family-cloud/contracts/upload';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDisposalService } from '../blobs/blob-disposal.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { UploadLeases } from './upload-leases.service.js';
import { UploadRepository } from './upload.repository.js';
import type { EndedUpload } from './upload.repository.js';

/** The ways out of an upload without a content: its quota is free in the same moment, its bytes go afterwards. */
@Injectable()
export class UploadEnding {
  constructor(
    private readonly uploads: UploadRepository,
    private readonly clouds: CloudRepository,
    private readonly disposal: BlobDisposalService,
    private readonly leases: UploadLeases,
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
  async endIn(contentIds: readonly string[], state: UploadState, holder?: string): Promise<EndedUpload[]> {
    if (contentIds.length === 0) return [];
    const ended = await this.uploads.end(contentIds, state, holder);
    await this.clouds.release(ended);
    return ended;
  }

  /** Stops who is still sending, and removes the bytes of what nobody is sending; the janitor takes the rest. */
  async clearUp(ended: readonly EndedUpload[], holder?: string): Promise<void> {
    for (const { contentId, cloudId, blobKey, leaseHolder } of ended) {
      this.leases.stopHere(contentId);
      const isIdle = leaseHolder === null || leaseHolder === holder;
      if (blobKey !== null && isIdle) await this.disposal.giveUp(cloudId, blobKey);
    }
  }

  private async end(contentId: string, state: UploadState, holder?: string): Promise<void> {
    const ended = await this.unitOfWork.run(() => this.endIn([contentId], state, holder));
    await this.clearUp(ended, holder);
  }
}
