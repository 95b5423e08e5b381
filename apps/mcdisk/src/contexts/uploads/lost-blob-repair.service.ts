import { Injectable, Logger } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobMissingError, BlobStore } from '../blobs/blob-store.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { RenditionService } from '../media/rendition.service.js';
import { fingerprintOf } from './finished-upload.js';
import type { FinishedUpload } from './finished-upload.js';
import { LostBlobRepository } from './lost-blob.repository.js';

/** Equal bytes are kept once in a family; but no receipt may be given for bytes that the store has lost. */
@Injectable()
export class LostBlobRepairService {
  private readonly logger = new Logger(LostBlobRepairService.name);

  constructor(
    private readonly rows: LostBlobRepository,
    private readonly blobs: BlobRepository,
    private readonly renditions: RenditionService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** False only where the store says so: one that does not answer has lost nothing. */
  async exists(blobKey: string): Promise<boolean> {
    try {
      (await this.store.open(blobKey)).destroy();
      return true;
    } catch (error) {
      return !(error instanceof BlobMissingError);
    }
  }

  /** What came takes the place of equal bytes that are lost, for all contents that refer to them. */
  async repair(lost: string, finished: FinishedUpload): Promise<void> {
    const { blobKey, upload, media } = finished;
    const now = Date.now();
    await this.unitOfWork.run(async () => {
      await this.rows.repoint(lost, blobKey, fingerprintOf(finished), now);
      await this.blobs.condemnUnreferenced([lost], now);
      await this.renditions.contentsAdded([{ contentId: upload.contentId, blobKey, type: media.contentType }]);
    });
    this.logger.warn({ msg: 'Missing blob replaced by an upload of the same bytes', missingBlobKey: lost, blobKey });
  }
}
