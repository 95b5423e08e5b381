import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { BlobStore } from '../blobs/blob-store.js';
import type { RenditionNotApplicable, ReadyRendition, RenditionMetadata, RenditionLease } from './rendition.js';
import { RenditionRepository } from './rendition.repository.js';
import { CaptureTimeRepository } from './capture-time.repository.js';

/** The lease is over, or the source was given up: what was made is nobody's. */
export class LeaseExpiredError extends Error {
  override readonly name = 'LeaseExpiredError';
}

/** Keeps what was made, as bytes that come: store first, then the database. */
@Injectable()
export class RenditionStoreService {
  constructor(
    private readonly renditions: RenditionRepository,
    private readonly shotTimes: CaptureTimeRepository,
    private readonly disposal: BlobDeletionService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * @throws LeaseExpiredError
   * @throws what the store and the source throw
   */
  async save(lease: RenditionLease, bytes: Readable, facts: RenditionMetadata, maxBytes: number): Promise<void> {
    const blobKey = randomUUID();
    await this.unitOfWork.run(async () => {
      if (!(await this.renditions.stage(lease, blobKey, Date.now()))) throw new LeaseExpiredError();
    });
    try {
      const { size, digest } = await this.store.stage(blobKey, bytes, maxBytes);
      await this.store.promote(blobKey, size);
      await this.complete(lease, { state: 'READY', blobKey, size, digest, ...facts });
    } catch (error) {
      await this.giveUp(lease, blobKey);
      throw error;
    }
  }

  /**
   * Ends the lease with its result, and tells the contents when they were taken.
   * @throws LeaseExpiredError
   */
  async complete(lease: RenditionLease, result: ReadyRendition | RenditionNotApplicable): Promise<void> {
    const { capturedAt } = result;
    await this.unitOfWork.run(async () => {
      if (capturedAt !== null) await this.shotTimes.lockContentsWithout(lease.sourceKey);
      if (!(await this.renditions.complete(lease, result, Date.now()))) throw new LeaseExpiredError();
      if (capturedAt !== null) await this.shotTimes.set(lease.sourceKey, capturedAt);
    });
  }

  /** The commit may have gone through although its answer was lost; what cannot be cleared up now is the janitor's. */
  private async giveUp({ cloudId }: RenditionLease, blobKey: string): Promise<void> {
    try {
      if (await this.renditions.isReady(blobKey)) return;
      await this.disposal.abandon(cloudId, blobKey);
      // The collector may have given the blob up before its bytes were there.
      await this.store.discard(blobKey);
    } catch {
      // The first error is the one to tell.
    }
  }
}
