import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { RecycleBinEmptyingRepository } from './recycle-bin-emptying.repository.js';
import { pauseAfterWork } from './background-throttle.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

const INTERVAL_MS = 5_000;
/**
 * Maximum number of contents per transaction, which locks the contents, and finally the cloud's row, for a few
 * milliseconds.
 */
const BATCH_SIZE = 50;
/** Pause when all remaining contents are locked by other transactions. */
const LOCKED_PAUSE_MS = 1_000;

/**
 * Empties recycle bins in small batches. After each batch the job pauses for longer than the batch took. The end of the
 * pause is stored in the request's row, so that several replicas are not faster than one. After a crash any replica
 * continues in its next run.
 */
@Injectable()
export class RecycleBinEmptyingJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly emptyings: RecycleBinEmptyingRepository,
    private readonly recycleBin: RecycleBinRepository,
    private readonly contentPurge: ContentPurgeService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** Starts a run after a new request. */
  trigger(): void {
    void this.runSafely();
  }

  /** Stops the job after the current batch. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }

  /** Runs until no request is due. */
  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const pause = await this.unitOfWork.run(() => this.purgeBatch());
      if (pause === undefined) return;
      await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** Purges one batch. Returns the pause in milliseconds, or `undefined` when no request is due. */
  private async purgeBatch(): Promise<number | undefined> {
    const startedAt = Date.now();
    const emptying = await this.emptyings.lockDue(startedAt);
    if (!emptying) return undefined;
    const { cloudId, recycledUntil, requestedBy } = emptying;
    const claimed = await this.recycleBin.claim(cloudId, {
      from: emptying.recycledFrom,
      until: recycledUntil,
      limit: BATCH_SIZE,
    });
    await this.contentPurge.purge(claimed, requestedBy, startedAt);
    if (claimed.length < BATCH_SIZE) return this.finishOrWaitForLocked(emptying, startedAt);
    const pause = pauseAfterWork(Date.now() - startedAt);
    const recycledFrom = claimed.at(-1)?.recycledAt ?? 0;
    await this.emptyings.saveProgress(cloudId, { recycledFrom, nextAt: startedAt + pause });
    return pause;
  }

  private async finishOrWaitForLocked(
    { cloudId, recycledUntil }: RecycleBinEmptyingEntity,
    now: number,
  ): Promise<number> {
    if (await this.recycleBin.hasAny(cloudId, recycledUntil)) {
      await this.emptyings.saveProgress(cloudId, { recycledFrom: 0, nextAt: now + LOCKED_PAUSE_MS });
      return LOCKED_PAUSE_MS;
    }
    await this.emptyings.delete(cloudId);
    return pauseAfterWork(0);
  }
}
