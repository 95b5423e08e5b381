import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../storage/blobs/blob-deletion.service.js';
import { BlobStore } from '../storage/blobs/blob-store.js';
import type { RenditionNotApplicable, ReadyRendition, RenditionMetadata, RenditionLease } from './rendition-plan.js';
import { RenditionRepository } from './rendition.repository.js';
import { CaptureTimeRepository } from './capture-time.repository.js';

/** The lease has expired, or the source was deleted; the result is discarded. */
export class LeaseExpiredError extends Error {
  override readonly name = 'LeaseExpiredError';
}

/** Stores generated renditions: first their bytes in the store, then their rows in the database. */
@Injectable()
export class RenditionStoreService {
  constructor(
    private readonly renditions: RenditionRepository,
    private readonly captureTimes: CaptureTimeRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Stores the bytes and completes the lease.
   * @throws LeaseExpiredError
   * @throws errors of the store and the source
   */
  async save(lease: RenditionLease, bytes: Readable, metadata: RenditionMetadata, maxBytes: number): Promise<void> {
    const blobKey = randomUUID();
    await this.unitOfWork.run(async () => {
      if (!(await this.renditions.stage(lease, blobKey, Date.now()))) throw new LeaseExpiredError();
    });
    try {
      const { size, digest } = await this.store.stage(blobKey, bytes, maxBytes);
      await this.store.promote(blobKey, size);
      await this.complete(lease, { state: 'READY', blobKey, size, digest, ...metadata });
    } catch (error) {
      await this.discard(lease, blobKey);
      throw error;
    }
  }

  /**
   * Completes the lease with its result, and sets the capture time of the contents.
   * @throws LeaseExpiredError
   */
  async complete(lease: RenditionLease, result: ReadyRendition | RenditionNotApplicable): Promise<void> {
    const { capturedAt } = result;
    await this.unitOfWork.run(async () => {
      if (capturedAt !== null) await this.captureTimes.lockContentsWithoutCaptureTime(lease.sourceKey);
      if (!(await this.renditions.complete(lease, result, Date.now()))) throw new LeaseExpiredError();
      if (capturedAt !== null) await this.captureTimes.setForContents(lease.sourceKey, capturedAt);
    });
  }

  /**
   * Deletes the blob of a rendition, unless the commit succeeded and only its response was lost. If the deletion fails,
   * the expiry of uploads deletes the blob.
   */
  private async discard({ cloudId }: RenditionLease, blobKey: string): Promise<void> {
    try {
      if (await this.renditions.isReadyRendition(blobKey)) return;
      await this.blobDeletion.deleteStaged(cloudId, blobKey);
      // Garbage collection may have deleted the blob before its bytes were stored.
      await this.store.discard(blobKey);
    } catch {
      // The error of the deletion is ignored, because the caller reports the earlier error.
    }
  }
}
