import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox } from '../../../infrastructure/mcdisk-infrastructure.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';
import { CloudRepository, totalsOf } from '../../clouds/cloud.repository.js';
import { ContentStateRepository } from '../contents/content-state.repository.js';
import type { LockedContent } from '../contents/content-state.repository.js';

/** Purges contents from recycle bins, and condemns their blobs, which garbage collection deletes later. */
@Injectable()
export class ContentPurgeService {
  constructor(
    private readonly states: ContentStateRepository,
    private readonly blobs: BlobRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
  ) {}

  /**
   * Purges contents. Must be called in the transaction that locked the contents, all of which must be recycled. Locks
   * the blobs of the contents and then the rows of their clouds.
   * @param actor the principal who purges, or `null` when the contents' time in the recycle bin has expired
   */
  async purge(contents: readonly LockedContent[], actor: PrincipalKey | null, now: number): Promise<void> {
    if (contents.length === 0) return;
    await this.states.purge(
      contents.map(({ contentId }) => contentId),
      now,
    );
    const blobKeys = new Set(contents.flatMap(({ blobKey }) => blobKey ?? []));
    await this.blobs.condemnUnreferenced([...blobKeys], now);
    const clouds = Map.groupBy(contents, ({ cloudId }) => cloudId);
    // A fixed order prevents deadlocks between concurrent purges in the same clouds.
    for (const cloudId of [...clouds.keys()].sort()) await this.release(cloudId, clouds.get(cloudId) ?? [], actor, now);
  }

  private async release(
    cloudId: string,
    contents: readonly LockedContent[],
    actor: PrincipalKey | null,
    now: number,
  ): Promise<void> {
    const contentIDs = contents.map(({ contentId }) => contentId);
    await this.clouds.purge(cloudId, totalsOf(contents), now);
    await this.outbox.appendContentEvent('mcdisk.content.purged', { cloudID: cloudId, contentIDs, by: actor });
  }
}
