import { Injectable, Logger } from '@nestjs/common';
import { BlobRepository } from './blob.repository.js';
import { BlobStore } from './blob-store.js';

/** Removes bytes that never became a content. The database decides first, then the store forgets. */
@Injectable()
export class BlobDeletionService {
  private readonly logger = new Logger(BlobDeletionService.name);

  constructor(
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
  ) {}

  /** Harmless when the blob has become live meanwhile: its bytes stay. */
  async abandon(cloudID: string, blobKey: string): Promise<void> {
    if (await this.blobs.abandonStaged(cloudID, blobKey, Date.now())) await this.remove(blobKey);
  }

  /** For a blob that is DELETING already, which it stays if the store does not let it go: it is tried again later. */
  async remove(blobKey: string): Promise<void> {
    try {
      await this.store.discard(blobKey);
    } catch (error) {
      this.logger.warn({ msg: 'Blob deletion failed', blobKey, err: error });
      return;
    }
    await this.blobs.markGone(blobKey, Date.now());
  }
}
