import { Injectable, Logger } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { RenditionService } from '../media/rendition.service.js';
import { fingerprintOf } from './finished-upload.js';
import type { FinishedUpload } from './finished-upload.js';
import { LostBlobRepository } from './lost-blob.repository.js';

/**
 * Replaces blobs that the store has lost by an upload of the same bytes. Bytes are stored once per family, and no
 * receipt may be issued for lost ones.
 */
@Injectable()
export class LostBlobRepairService {
  private readonly logger = new Logger(LostBlobRepairService.name);

  constructor(
    private readonly lostBlobs: LostBlobRepository,
    private readonly blobs: BlobRepository,
    private readonly renditions: RenditionService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Returns false only when the store reports the blob as missing; an unavailable store does not count. */
  async exists(blobKey: string): Promise<boolean> {
    try {
      (await this.store.open(blobKey)).destroy();
      return true;
    } catch (error) {
      return !(error instanceof BlobMissingError);
    }
  }

  /** Makes all contents that refer to a lost blob refer to the uploaded one. */
  async repair(lostKey: string, finished: FinishedUpload): Promise<void> {
    const { blobKey, upload, media } = finished;
    const now = Date.now();
    await this.unitOfWork.run(async () => {
      await this.lostBlobs.repoint(lostKey, blobKey, fingerprintOf(finished), now);
      await this.blobs.condemnUnreferenced([lostKey], now);
      await this.renditions.contentsAdded([{ contentId: upload.contentId, blobKey, type: media.contentType }]);
    });
    this.logger.warn({ msg: 'Missing blob replaced by an upload of the same bytes', missingBlobKey: lostKey, blobKey });
  }
}
