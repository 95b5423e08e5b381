import { Injectable } from '@nestjs/common';
import { McdiskOutbox } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { ContentStateRepository } from '../files/contents/content-state.repository.js';
import type { LockedContent } from '../files/contents/content-state.repository.js';

/** Moves contents to the recycle bin as part of a cleanup, without a request of a member. */
@Injectable()
export class ContentRecyclingService {
  constructor(
    private readonly states: ContentStateRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
  ) {}

  /**
   * Moves contents to the recycle bin. Must be called in the transaction that locked the contents, which must be
   * active. Locks the cloud's row.
   */
  async recycle(cloudID: string, contents: readonly LockedContent[], now: number): Promise<void> {
    const contentIDs = contents.map(({ contentId }) => contentId);
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    await this.states.recycle(cloudID, contentIDs, now);
    await this.clouds.recycle(cloudID, bytes, now);
    await this.outbox.appendContentEvent('mcdisk.content.recycled', { cloudID, contentIDs, by: null });
  }
}
