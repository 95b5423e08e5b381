import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RenditionEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { StoreFullError, StoreUnavailableError } from '../storage/blobs/blob-store.js';
import { MediaSettings, RendererPool } from './renderer/renderer-pool.js';
import { RendererStartError } from './renderer/renderer-process.js';
import { RenditionNotifier } from './rendition-waits.js';
import { LeaseExpiredError, RenditionGeneratorService } from './rendition-generator.service.js';
import { MAX_ATTEMPTS, type RenditionLease } from './rendition-plan.js';
import { RenditionRepository } from './rendition.repository.js';

/**
 * Poll interval for renditions that another replica did not finish or that were requested without a notification to
 * this process.
 */
const INTERVAL_MS = 5_000;
/**
 * Duration of a lease, longer than any rendition takes: ten minutes, plus one millisecond per 1,000 bytes of the
 * source.
 */
const LEASE_DURATION = { ms: 10 * 60_000, bytesPerMs: 1_000 };
/** Delay before the next attempt, by the number of attempts so far, milliseconds. */
const BACKOFF_MS = [0, 5_000, 60_000];
/** Retry delay after an attempt that failed because of an outage, milliseconds. */
const OUTAGE_RETRY_DELAY_MS = 60_000;

/**
 * Generates the requested renditions, one per renderer at a time. Clouds take turns, regardless of how many renditions
 * each cloud requests. Replicas process different rows.
 */
@Injectable()
export class RenditionJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RenditionJob.name);
  private readonly workers = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private wasNotified = false;
  /** Id of the cloud whose rendition was generated last; initially a random id. */
  private lastCloud: string = randomUUID();

  constructor(
    private readonly renditions: RenditionRepository,
    private readonly generator: RenditionGeneratorService,
    private readonly pool: RendererPool,
    private readonly notifier: RenditionNotifier,
    private readonly settings: MediaSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.notifier.onRequested(() => this.startWorkers());
  }

  /**
   * Stops the job. Renditions in progress are requeued; another replica generates them, or this one after its restart.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.pool.close();
    await Promise.all(this.workers);
  }

  /** Generates all renditions that are due. */
  @OnJob('mcdisk.renditions.generate', {
    intervalMs: INTERVAL_MS,
    queue: { entity: RenditionEntity, dueAt: 'dueAt', where: `state = 'WAITING'` },
  })
  async run(_now?: number, signal?: AbortSignal): Promise<void> {
    if (this.settings.rendererCount === 0) return;
    // At shutdown the scheduler may be stopped before this class, and waits for this run; its signal must end the run.
    const stop = () => void this.onModuleDestroy();
    signal?.addEventListener('abort', stop);
    try {
      await this.generateAll();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  private async generateAll(): Promise<void> {
    const failed = await this.renditions.failExhausted(Date.now());
    if (failed > 0)
      this.logger.warn({ msg: 'Renditions abandoned: each crashed its renderer repeatedly', renditions: failed });
    this.startWorkers();
    await Promise.all(this.workers);
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private startWorkers(): void {
    this.wasNotified = true;
    while (!this.isStopped && this.workers.size < this.settings.rendererCount) {
      const worker = this.generateDue()
        .catch((error: unknown) => this.logger.warn({ msg: 'Query for due renditions failed', err: error }))
        .finally(() => this.workers.delete(worker));
      this.workers.add(worker);
    }
  }

  private async generateDue(): Promise<void> {
    while (!this.isStopped) {
      this.wasNotified = false;
      const lease = await this.renditions.claim(
        Date.now(),
        { holder: randomUUID(), afterCloudId: this.lastCloud },
        LEASE_DURATION,
      );
      if (lease) {
        this.lastCloud = lease.cloudId;
        await this.generateOne(lease);
        continue;
      }
      // After a notification, the query is repeated: its result may lack a request that was committed during the query.
      if (!this.wasNotified) return;
    }
  }

  private async generateOne(lease: RenditionLease): Promise<void> {
    try {
      await this.generator.generate(lease, this.stopping.signal);
    } catch (error) {
      if (error instanceof LeaseExpiredError) return;
      await this.requeue(lease, error);
    } finally {
      this.notifier.notifyCompleted();
    }
  }

  private async requeue(lease: RenditionLease, error: unknown): Promise<void> {
    if (this.isStopped) return this.renditions.requeue(lease, Date.now(), false);
    this.logger.warn({
      msg: 'Rendition failed',
      kind: lease.kind,
      blobKey: lease.sourceKey,
      attempts: lease.attempts,
      err: error,
    });
    if (isOutage(error)) return this.renditions.requeue(lease, Date.now() + OUTAGE_RETRY_DELAY_MS, false);
    if (lease.attempts < MAX_ATTEMPTS) {
      return this.renditions.requeue(lease, Date.now() + (BACKOFF_MS[lease.attempts] ?? OUTAGE_RETRY_DELAY_MS), true);
    }
    return this.generator.complete(lease, { state: 'FAILED', mediaType: null, capturedAt: null });
  }
}

function isOutage(error: unknown): boolean {
  const outages = [StoreFullError, StoreUnavailableError, DatabaseUnavailableError, RendererStartError];
  return outages.some((type) => error instanceof type);
}
