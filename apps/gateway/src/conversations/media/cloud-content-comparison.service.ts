import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ContentDigest, ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayProjections, PROJECTION, CONTENT_SOURCE } from '../../infrastructure/gateway-infrastructure.js';
import { CloudContentRepository } from './cloud-content.repository.js';
import { CONTENTS_HANDLER } from '../conversations.event-handlers.js';

/** Milliseconds before a failed comparison is repeated. */
const COMPARISON_RETRY_DELAY_MS = 30_000;

/**
 * Compares the projection of cloud contents with mcdisk and repairs it: a cloud with unprocessed events within a
 * second, and all clouds every `COMPARISON_INTERVAL` seconds.
 */
@Injectable()
export class CloudContentComparisonService {
  private readonly logger = new Logger(CloudContentComparisonService.name);
  private nextComparisonAt = 0;

  constructor(
    private readonly contents: CloudContentRepository,
    private readonly projections: GatewayProjections,
    private readonly environment: Environment,
    @Inject(CONTENT_SOURCE) private readonly source: ContentSource | null,
  ) {}

  @OnJob('gateway.conversations.compare-cloud-contents', { intervalMs: 1_000 })
  async compare(_now?: number, signal?: AbortSignal): Promise<void> {
    if (!this.source) return;
    for (const familyId of this.projections.unknownKeys(PROJECTION.CONTENTS))
      await this.repairCloud(this.source, familyId);
    const now = performance.now();
    if (now < this.nextComparisonAt) return;
    this.nextComparisonAt = now + COMPARISON_RETRY_DELAY_MS;
    await this.compareAllClouds(this.source, signal);
    this.nextComparisonAt = now + this.environment.COMPARISON_INTERVAL * 1_000;
  }

  private async compareAllClouds(source: ContentSource, signal?: AbortSignal): Promise<void> {
    let after: string | null = null;
    do {
      const page: ContentDigest[] = await source.listDigests(after);
      const stored = await this.contents.findDigests(page.map(({ cloudId }) => cloudId));
      const digests = new Map(stored.map(({ cloudId, digest }) => [cloudId, digest]));
      for (const { cloudId, digest } of page)
        if ((digests.get(cloudId) ?? '0') !== digest) await this.repairCloud(source, cloudId);
      after = page.at(-1)?.cloudId ?? null;
    } while (after !== null && !signal?.aborted);
  }

  /**
   * Makes the projection of one cloud equal to the contents in mcdisk. The ids of the projection are read before those
   * of mcdisk: an id that only the projection contains has then been deleted in mcdisk, and was not just added by an
   * event.
   */
  private async repairCloud(source: ContentSource, familyId: string): Promise<void> {
    const read = async () => {
      const stored = new Set(await this.contents.findIds(familyId));
      const current = new Set(await this.readAll(source, familyId));
      return {
        missing: [...current].filter((id) => !stored.has(id)),
        obsolete: [...stored].filter((id) => !current.has(id)),
      };
    };
    await this.projections.replaceState(CONTENTS_HANDLER, familyId, read, async ({ missing, obsolete }) => {
      await this.contents.add(familyId, missing);
      await this.contents.remove(familyId, obsolete);
      const counts = { missing: missing.length, obsolete: obsolete.length };
      this.logger.warn({ msg: 'Cloud contents were repaired from mcdisk', familyId, ...counts });
    });
  }

  private async readAll(source: ContentSource, familyId: string): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | null = null; ;) {
      const page: string[] = await source.listIds(familyId, after);
      ids.push(...page);
      after = page.at(-1) ?? null;
      if (after === null) return ids;
    }
  }
}
