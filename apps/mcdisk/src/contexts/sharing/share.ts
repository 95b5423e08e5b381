import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight } from '../clouds/cloud-actor.js';
import type { Visibility } from '../clouds/cloud-actor.js';

/** A share and the visibility that limits its contents. */
export interface ShareWithVisibility {
  shareId: string;
  visibility: Visibility;
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
