import { Injectable, Logger } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobMissingError, BlobStore } from '../../storage/blobs/blob-store.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';
import { RenditionService } from '../../renditions/rendition.service.js';
import { fingerprintOf, type FinishedUpload } from './finished-upload.js';
import { UploadCommitRepository } from './upload-commit.repository.js';

/**
 * Replaces a blob that the store has lost by an upload of the same bytes. Without this repair, the upload would be
 * deduplicated to the lost blob, and the service would acknowledge bytes that do not exist.
 */
@Injectable()
export class LostBlobRepairService {
  private readonly logger = new Logger(LostBlobRepairService.name);

  constructor(
    private readonly lostBlobs: UploadCommitRepository,
    private readonly blobs: BlobRepository,
    private readonly renditions: RenditionService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Returns false only when the store reports the blob as missing; an unavailable store does not mean that the blob is
   * missing.
   */
  async exists(blobKey: string): Promise<boolean> {
    try {
      (await this.store.open(blobKey)).destroy();
      return true;
    } catch (error) {
      return !(error instanceof BlobMissingError);
    }
  }

  /** Changes all contents that refer to a lost blob to refer to the uploaded blob. */
  async repair(lostKey: string, finished: FinishedUpload): Promise<void> {
    const { blobKey, upload, media } = finished;
    const now = Date.now();
    await this.unitOfWork.run(async () => {
      await this.lostBlobs.replaceReferences(lostKey, blobKey, fingerprintOf(finished), now);
      await this.blobs.condemnUnreferenced([lostKey], now);
      await this.renditions.onContentsAdded([{ contentId: upload.contentId, blobKey, type: media.contentType }]);
    });
    this.logger.warn({ msg: 'Missing blob replaced by an upload of the same bytes', missingBlobKey: lostKey, blobKey });
  }
}
