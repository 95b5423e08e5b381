import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { CloudActor } from '../clouds/cloud.access.js';
import { FamilyProjectionRepository } from '../clouds/family-projection.repository.js';
import type { PresentedContent } from '../contents/content-presenter.service.js';
import { standing } from './share.js';
import type { SeenShare } from './share.js';
import { ShareRepository } from './share.repository.js';
import { SharedContentRepository } from './shared-content.repository.js';

/** What is shared with members of a family who could not read it otherwise, as it stands now. */
@Injectable()
export class SharedContents {
  constructor(
    private readonly families: FamilyProjectionRepository,
    private readonly shares: ShareRepository,
    private readonly contents: SharedContentRepository,
  ) {}

  /** Is this active content shared with them? Never with a watch. */
  async has(actor: CloudActor, contentId: string): Promise<boolean> {
    if (!isUuid(contentId)) return false;
    const shares = await this.sharesWith(actor);
    return shares.length > 0 && this.contents.has(actor.cloudID, shares, contentId);
  }

  /** Each content once, the newest first; where it is kept is not told. */
  async list(
    actor: CloudActor,
    window: { limit: number; offset: number },
  ): Promise<{ totalCount: number; contents: PresentedContent[] }> {
    const shares = await this.sharesWith(actor);
    if (shares.length === 0) return { totalCount: 0, contents: [] };
    const contents = await this.contents.findPage(actor.cloudID, shares, window);
    return { totalCount: await this.contents.count(actor.cloudID, shares), contents };
  }

  private async sharesWith({ cloudID, principal, cid }: CloudActor): Promise<SeenShare[]> {
    if (cid !== null) return [];
    const shares = await this.shares.findOpen(cloudID, principal, Date.now());
    const family = shares.length === 0 ? undefined : await this.families.findWithCloud(cloudID);
    return family ? standing(shares, family) : [];
  }
}
