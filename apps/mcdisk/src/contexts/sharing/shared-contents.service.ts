import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { resolveActor, hasRight } from '../clouds/cloud-actor.js';
import { FamilyProjectionRepository } from '../clouds/family-projection.repository.js';
import type { PresentedContent } from '../clouds/clouds.sql.js';
import { ShareRepository } from './share.repository.js';
import type { ShareWithVisibility } from './share.repository.js';

/**
 * Finds contents that are shared with members who could not read them otherwise. Shares are evaluated at the time of
 * each call.
 */
@Injectable()
export class SharedContentsService {
  constructor(
    private readonly families: FamilyProjectionRepository,
    private readonly shares: ShareRepository,
  ) {}

  /** Returns whether this active content is shared with the actor; always false for watches. */
  async isShared(actor: CloudActor, contentId: string): Promise<boolean> {
    if (!isUuid(contentId)) return false;
    const shares = await this.findReceivedShares(actor);
    return shares.length > 0 && this.shares.containsContent(actor.cloudId, shares, contentId);
  }

  /** Lists each shared content once, newest first, without its folder. */
  async list(
    actor: CloudActor,
    page: { limit: number; offset: number },
  ): Promise<{ totalCount: number; contents: PresentedContent[] }> {
    const shares = await this.findReceivedShares(actor);
    if (shares.length === 0) return { totalCount: 0, contents: [] };
    const contents = await this.shares.findContentPage(actor.cloudId, shares, page);
    return {
      totalCount: await this.shares.countContents(actor.cloudId, shares),
      contents: contents.map((content) => ({ ...content, parentFolderId: null })),
    };
  }

  private async findReceivedShares({ cloudId, principal, cid }: CloudActor): Promise<ShareWithVisibility[]> {
    if (cid !== null) return [];
    const shares = await this.shares.findUnexpired(cloudId, principal, Date.now());
    const family = shares.length === 0 ? undefined : await this.families.findWithCloud(cloudId);
    return family ? filterActiveShares(shares, family) : [];
  }
}

/**
 * Returns the active shares with the current visibility of their creators. A share is active while its creator may
 * share. A share shows only contents that its creator may see now.
 */
export function filterActiveShares(shares: readonly ShareEntity[], family: FamilySnapshot): ShareWithVisibility[] {
  return shares.flatMap(({ shareId, createdBy }) => {
    const creator = resolveActor(family, { type: 'user', id: userIdOfPrincipal(createdBy) });
    return creator && hasRight(creator, CLOUD_RIGHT.DELETE) ? [{ shareId, visibility: creator.visibility }] : [];
  });
}

export function userIdOfPrincipal(principal: PrincipalKey): string {
  return principal.slice(principal.indexOf(':') + 1);
}
