import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight } from '../clouds/cloud-actor.js';
import type { Visibility } from '../clouds/cloud-actor.js';

/** Read access of one member to contents, a folder or an album of a cloud. Times in Unix milliseconds. */
export interface Share {
  shareId: string;
  cloudId: string;
  /** The member with access and the member who shared: principals of users. */
  grantee: PrincipalKey;
  createdBy: PrincipalKey;
  /** `folderId` and `albumId` are `null` for a share of individual contents. */
  folderId: string | null;
  albumId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

/** A share and the visibility that limits its contents. */
export interface ShareWithVisibility {
  shareId: string;
  visibility: Visibility;
}

/**
 * Returns the active shares with the current visibility of their creators. A share is active while its creator may
 * share. A share shows only contents that its creator may see now.
 */
export function filterActiveShares(shares: readonly Share[], family: FamilySnapshot): ShareWithVisibility[] {
  return shares.flatMap(({ shareId, createdBy }) => {
    const creator = resolveActor(family, { type: 'user', id: userIdOfPrincipal(createdBy) });
    return creator && hasRight(creator, CLOUD_RIGHT.DELETE) ? [{ shareId, visibility: creator.visibility }] : [];
  });
}

export function userIdOfPrincipal(principal: PrincipalKey): string {
  return principal.slice(principal.indexOf(':') + 1);
}
