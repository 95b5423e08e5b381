import { Injectable } from '@nestjs/common';
import { BlobRepository } from './blob.repository.js';
import { BlobStore } from './blob-store.js';

/** Removes bytes that never became a content. The database decides first, then the store forgets. */
@Injectable()
export class BlobDisposalService {
  constructor(
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
  ) {}

  /** Harmless when the blob has become live meanwhile: its bytes stay. */
  async giveUp(cloudID: string, blobKey: string): Promise<void> {
    if (await this.blobs.giveUpStaged(cloudID, blobKey, Date.now())) await this.remove(blobKey);
  }

  /** For a blob that is DELETING already. */
  async remove(blobKey: string): Promise<void> {
    await this.store.discard(blobKey);
    await this.blobs.markGone(blobKey, Date.now());
  }
}
