import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { StoreFullError, StoreUnavailableError } from '../blobs/blob-store.js';
import { MediaSettings } from './media-settings.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { RendererBrokenError } from './renderer/renderer-process.js';
import { RenditionNotifier } from './rendition-notifier.js';
import { LeaseExpiredError, RenditionStoreService } from './rendition-store.service.js';
import { RenditionGeneratorService } from './rendition-generator.service.js';
import type { RenditionLease } from './rendition.js';
import { RenditionRepository } from './rendition.repository.js';

/** What another replica left, or nobody rang for. */
const INTERVAL_MS = 5_000;
/** Longer than anything takes; for what is large, a millisecond more for each kilobyte. */
const LEASE = { ms: 10 * 60_000, bytesPerMs: 1_000 };
const MAX_ATTEMPTS = 3;
/** Milliseconds until the next attempt, by the attempts so far. */
const BACKOFF_MS = [0, 5_000, 60_000];
/** When it was not the picture's fault, milliseconds. */
const OUTAGE_MS = 60_000;

/**
 * Makes what is wanted, as many at a time as there are renderers; one of each cloud in turn, however many it wants.
 * Every replica runs it; they take different ones.
 */
@Injectable()
export class RenditionJob extends PeriodicJob {
  private readonly lanes = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private wasRung = false;
  /** The cloud that had its turn last; each process begins somewhere else. */
  private lastCloud: string = randomUUID();

  constructor(
    private readonly renditions: RenditionRepository,
    private readonly maker: RenditionGeneratorService,
    private readonly keeper: RenditionStoreService,
    private readonly pool: RendererPool,
    private readonly bell: RenditionNotifier,
    private readonly settings: MediaSettings,
  ) {
    super(INTERVAL_MS);
  }

  override async start(): Promise<void> {
    if (this.settings.workers === 0) return;
    this.bell.onRequested(() => this.wake());
    await super.start();
  }

  /** What is being made is put back and made again by whoever comes next. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    this.pool.close();
    await Promise.all(this.lanes);
    await super.stop();
  }

  /** Makes all that is due. */
  async run(): Promise<void> {
    const given = await this.renditions.failExhausted(Date.now(), MAX_ATTEMPTS);
    if (given > 0)
      this.logger.warn({ msg: 'Renditions abandoned: each crashed its renderer repeatedly', renditions: given });
    this.wake();
    await Promise.all(this.lanes);
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private wake(): void {
    this.wasRung = true;
    while (!this.isStopped && this.lanes.size < this.settings.workers) {
      const lane = this.makeAll()
        .catch((error: unknown) => this.logger.warn({ msg: 'Query for due renditions failed', err: error }))
        .finally(() => this.lanes.delete(lane));
      this.lanes.add(lane);
    }
  }

  private async makeAll(): Promise<void> {
    while (!this.isStopped) {
      this.wasRung = false;
      const lease = await this.renditions.claim(Date.now(), { holder: randomUUID(), after: this.lastCloud }, LEASE);
      if (lease) {
        this.lastCloud = lease.cloudId;
        await this.makeOne(lease);
        // Whatever was committed while the question was under way may not be in its answer.
      } else if (!this.wasRung) return;
    }
  }

  private async makeOne(lease: RenditionLease): Promise<void> {
    try {
      await this.maker.generate(lease, this.stopping.signal);
    } catch (error) {
      if (error instanceof LeaseExpiredError) return;
      await this.putBack(lease, error);
    } finally {
      this.bell.notifyCompleted();
    }
  }

  private async putBack(lease: RenditionLease, error: unknown): Promise<void> {
    if (this.isStopped) return this.renditions.requeue(lease, Date.now(), false);
    this.logger.warn({
      msg: 'Rendition failed',
      kind: lease.kind,
      blobKey: lease.sourceKey,
      attempts: lease.attempts,
      err: error,
    });
    if (meansOutage(error)) return this.renditions.requeue(lease, Date.now() + OUTAGE_MS, false);
    if (lease.attempts < MAX_ATTEMPTS) {
      return this.renditions.requeue(lease, Date.now() + (BACKOFF_MS[lease.attempts] ?? OUTAGE_MS), true);
    }
    return this.keeper.complete(lease, { state: 'FAILED', mediaType: null, capturedAt: null });
  }
}

function meansOutage(error: unknown): boolean {
  const outages = [StoreFullError, StoreUnavailableError, DatabaseUnavailableError, RendererBrokenError];
  return outages.some((type) => error instanceof type);
}
