import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDisposalService } from '../blobs/blob-disposal.service.js';
import { BlobStore } from '../blobs/blob-store.js';
import type { NoRendition, ReadyRendition, RenditionFacts, RenditionLease } from './rendition.js';
import { RenditionRepository } from './rendition.repository.js';
import { ShotTimeRepository } from './shot-time.repository.js';

/** The lease is over, or the source was given up: what was made is nobody's. */
export class LeaseOverError extends Error {
  override readonly name = 'LeaseOverError';
}

/** Keeps what was made, as bytes that come: store first, then the database. */
@Injectable()
export class RenditionKeeper {
  constructor(
    private readonly renditions: RenditionRepository,
    private readonly shotTimes: ShotTimeRepository,
    private readonly disposal: BlobDisposalService,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * @throws LeaseOverError
   * @throws what the store and the source throw
   */
  async keep(lease: RenditionLease, bytes: Readable, facts: RenditionFacts, maxBytes: number): Promise<void> {
    const blobKey = randomUUID();
    await this.unitOfWork.run(async () => {
      if (!(await this.renditions.stage(lease, blobKey, Date.now()))) throw new LeaseOverError();
    });
    try {
      const { size, digest } = await this.store.stage(blobKey, bytes, maxBytes);
      await this.store.promote(blobKey, size);
      await this.settle(lease, { state: 'READY', blobKey, size, digest, ...facts });
    } catch (error) {
      await this.giveUp(lease, blobKey);
      throw error;
    }
  }

  /**
   * Ends the lease with its result, and tells the contents when they were taken.
   * @throws LeaseOverError
   */
  async settle(lease: RenditionLease, result: ReadyRendition | NoRendition): Promise<void> {
    const { capturedAt } = result;
    await this.unitOfWork.run(async () => {
      if (capturedAt !== null) await this.shotTimes.lockWithout(lease.sourceKey);
      if (!(await this.renditions.complete(lease, result, Date.now()))) throw new LeaseOverError();
      if (capturedAt !== null) await this.shotTimes.set(lease.sourceKey, capturedAt);
    });
  }

  /** The commit may have gone through although its answer was lost; what cannot be cleared up now is the janitor's. */
  private async giveUp({ cloudId }: RenditionLease, blobKey: string): Promise<void> {
    try {
      if (await this.renditions.isReady(blobKey)) return;
      await this.disposal.giveUp(cloudId, blobKey);
      // The collector may have given the blob up before its bytes were there.
      await this.store.discard(blobKey);
    } catch {
      // The first error is the one to tell.
    }
  }
}
