import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight } from '../clouds/cloud-actor.js';
import type { Visibility } from '../clouds/cloud-actor.js';

/** Contents, a folder or an album of a cloud that one member may read. Times in Unix milliseconds. */
export interface Share {
  shareId: string;
  cloudId: string;
  /** With whom it is shared, and by whom: principals of persons. */
  grantee: PrincipalKey;
  createdBy: PrincipalKey;
  /** Both `null`: the contents that it names. */
  folderId: string | null;
  albumId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

/** A share, and what of its contents it can show. */
export interface ShareWithVisibility {
  shareId: string;
  sight: Visibility;
}

/**
 * Shares that stand: a share shows what the one who made it may share and see now. It shows nothing while that person
 * may do neither, and again when they may.
 */
export function filterActiveShares(shares: readonly Share[], family: FamilySnapshot): ShareWithVisibility[] {
  return shares.flatMap(({ shareId, createdBy }) => {
    const maker = resolveActor(family, { type: 'user', id: userIdOfPrincipal(createdBy) });
    return maker && hasRight(maker, CLOUD_RIGHT.DELETE) ? [{ shareId, sight: maker.visibility }] : [];
  });
}

export function userIdOfPrincipal(principal: PrincipalKey): string {
  return principal.slice(principal.indexOf(':') + 1);
}
