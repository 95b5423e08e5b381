import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDisposalService } from '../blobs/blob-disposal.service.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { DownloadLinkRepository } from '../downloads/download-link.repository.js';
import { UploadRepository } from '../uploads/upload.repository.js';

const INTERVAL_MS = 60_000;
const BATCH = 200;
/** Somebody else may be removing the bytes right now. */
const HALF_DELETED_MS = 10 * 60_000;
/** How long `completeUpload` can still be asked, milliseconds. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

/** What one round did. */
export interface SweepResult {
  expired: number;
  removedBlobs: number;
}

/**
 * Clears up after uploads that never ended and processes that died in one: frees their quota and removes their
 * bytes and what is over of links. Every replica runs it; they take different rows.
 */
@Injectable()
export class JanitorService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(JanitorService.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly uploads: UploadRepository,
    private readonly links: DownloadLinkRepository,
    private readonly blobs: BlobRepository,
    private readonly disposal: BlobDisposalService,
    private readonly clouds: CloudRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.round = this.round.then(() => this.sweepQuietly());
    }, INTERVAL_MS);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /** @param now Unix milliseconds; what is over by then is cleared up */
  async sweep(now = Date.now()): Promise<SweepResult> {
    const expired = await this.expireUploads(now);
    const removedBlobs = await this.removeBlobs(now);
    await this.uploads.deleteEnded(now - REMEMBERED_MS, BATCH);
    await this.links.deleteExpired(now);
    return { expired, removedBlobs };
  }

  private async sweepQuietly(): Promise<void> {
    try {
      const { expired, removedBlobs } = await this.sweep();
      if (expired + removedBlobs > 0) this.logger.log(`Cleared up ${expired} uploads and ${removedBlobs} blobs`);
    } catch (error) {
      this.logger.warn(`Unfinished uploads were not cleared up, the next round tries again: ${String(error)}`);
    }
  }

  private async expireUploads(now: number): Promise<number> {
    let total = 0;
    for (let count = BATCH; count === BATCH; total += count) {
      count = await this.unitOfWork.run(async () => {
        const ended = await this.uploads.expire(now, BATCH);
        const bytes = Map.groupBy(ended, ({ cloudId }) => cloudId);
        for (const cloudId of [...bytes.keys()].sort()) {
          await this.clouds.release(cloudId, bytes.get(cloudId)?.reduce((sum, { size }) => sum + size, 0) ?? 0);
        }
        return ended.length;
      });
    }
    return total;
  }

  private async removeBlobs(now: number): Promise<number> {
    const abandoned = await this.blobs.giveUpAbandoned(now, BATCH);
    const unfinished = await this.blobs.findHalfDeleted(now - HALF_DELETED_MS, BATCH);
    const keys = [...abandoned, ...unfinished];
    for (const key of keys) await this.disposal.remove(key);
    return keys.length;
  }
}
