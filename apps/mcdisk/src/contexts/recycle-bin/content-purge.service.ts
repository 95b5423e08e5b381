import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { CloudRepository, totalsOf } from '../clouds/cloud.repository.js';
import { contentEvents } from '../contents/content-events.js';
import { ContentStateRepository } from '../contents/content-state.repository.js';
import type { LockedContent } from '../contents/content-state.repository.js';

/** Lets contents of recycle bins go for good. Their bytes are only condemned; the collector removes them later. */
@Injectable()
export class ContentPurgeService {
  constructor(
    private readonly states: ContentStateRepository,
    private readonly blobs: BlobRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
  ) {}

  /**
   * For a unit of work that has locked them and found them recycled. Locks blobs and then the rows of their clouds.
   * @param by `null` when their time was over
   */
  async purge(contents: readonly LockedContent[], by: PrincipalKey | null, now: number): Promise<void> {
    if (contents.length === 0) return;
    await this.states.purge(
      contents.map(({ contentId }) => contentId),
      now,
    );
    const blobKeys = new Set(contents.flatMap(({ blobKey }) => blobKey ?? []));
    await this.blobs.condemnUnreferenced([...blobKeys], now);
    const clouds = Map.groupBy(contents, ({ cloudId }) => cloudId);
    // In one order, so that two who purge of the same clouds do not wait for each other.
    for (const cloudID of [...clouds.keys()].sort()) await this.release(cloudID, clouds.get(cloudID) ?? [], by, now);
  }

  private async release(
    cloudID: string,
    contents: readonly LockedContent[],
    by: PrincipalKey | null,
    now: number,
  ): Promise<void> {
    const contentIDs = contents.map(({ contentId }) => contentId);
    await this.clouds.purge(cloudID, totalsOf(contents), now);
    await this.outbox.appendMany(contentEvents('mcdisk.content.purged', { cloudID, contentIDs, by }));
  }
}
