import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { RecycleBinEmptyingRepository } from './recycle-bin-emptying.repository.js';
import type { RecycleBinEmptying } from './recycle-bin-emptying.repository.js';
import { pauseAfterWork } from './background-throttle.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

const INTERVAL_MS = 5_000;
/** Contents of one unit of work: it holds their locks, and at its end the one of the cloud, for a few milliseconds. */
const BATCH = 50;
/** Somebody has locked what is left. */
const LOCKED_REST_MS = 1_000;

/**
 * Empties recycle bins, a little at a time, with a rest after each batch that is longer than the batch was. The rest
 * stands in the row, so all replicas together are no faster; what is left over by a process that died goes on in the
 * next round of any.
 */
@Injectable()
export class RecycleBinEmptyingJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly emptyings: RecycleBinEmptyingRepository,
    private readonly bin: RecycleBinRepository,
    private readonly purging: ContentPurgeService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** An emptying was asked for: it begins now. */
  trigger(): void {
    void this.runSafely();
  }

  /** Ends after the batch under way. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }

  /** Goes on until no bin's turn has come. */
  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const rest = await this.unitOfWork.run(() => this.step());
      if (rest === undefined) return;
      await sleep(rest, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** One batch of one bin. Returns how long to rest then, milliseconds; `undefined` when no bin's turn has come. */
  private async step(): Promise<number | undefined> {
    const begun = Date.now();
    const emptying = await this.emptyings.lockDue(begun);
    if (!emptying) return undefined;
    const { cloudId, recycledUntil, requestedBy } = emptying;
    const taken = await this.bin.claim(cloudId, { from: emptying.recycledFrom, until: recycledUntil, limit: BATCH });
    await this.purging.purge(taken, requestedBy, begun);
    if (taken.length < BATCH) return this.endPass(emptying, begun);
    const rest = pauseAfterWork(Date.now() - begun);
    const recycledFrom = taken.at(-1)?.recycledAt ?? 0;
    await this.emptyings.advance(cloudId, { recycledFrom, nextAt: begun + rest });
    return rest;
  }

  private async endPass({ cloudId, recycledUntil }: RecycleBinEmptying, now: number): Promise<number> {
    if (await this.bin.hasAny(cloudId, recycledUntil)) {
      await this.emptyings.advance(cloudId, { recycledFrom: 0, nextAt: now + LOCKED_REST_MS });
      return LOCKED_REST_MS;
    }
    await this.emptyings.delete(cloudId);
    return pauseAfterWork(0);
  }
}
