import { Injectable, Logger } from '@nestjs/common';
import { BlobRepository } from './blob.repository.js';
import { BlobStore } from './blob-store.js';

/** Deletes blobs. The blob's row changes to DELETING first; then its bytes are deleted from the store. */
@Injectable()
export class BlobDeletionService {
  private readonly logger = new Logger(BlobDeletionService.name);

  constructor(
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
  ) {}

  /** Deletes a staged blob. Does nothing when the blob has become live. */
  async deleteStaged(cloudID: string, blobKey: string): Promise<void> {
    if (await this.blobs.abandonStaged(cloudID, blobKey, Date.now())) await this.deleteBytes(blobKey);
  }

  /**
   * Deletes the bytes of a blob in state DELETING. If the store fails, the blob stays DELETING and its deletion is
   * retried.
   */
  async deleteBytes(blobKey: string): Promise<void> {
    try {
      await this.store.discard(blobKey);
    } catch (error) {
      this.logger.warn({ msg: 'Blob deletion failed', blobKey, err: error });
      return;
    }
    await this.blobs.markGone([blobKey], Date.now());
  }
}
