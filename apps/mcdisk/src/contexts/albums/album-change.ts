import { CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { AlbumEntity } from '@family-watch/domain/family-cloud/entities/album.entity';
import { canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { decideItems, ITEM_OUTCOME } from '../contents/bulk-decision.js';
import type { BulkDecision } from '../contents/bulk-decision.js';
import type { AlbumCandidate } from './album-content.repository.js';

/** What a request about an album's contents names, and what is known of it. */
export interface AlbumChangeRequest {
  ids: readonly string[];
  /** The contents of the actor's cloud among the ids. */
  found: readonly AlbumCandidate[];
  /** Those that are in the album. */
  inAlbum: ReadonlySet<string>;
}

/** Whoever keeps order in the cloud, and who made it: a watch that replaced another is still its child. */
export function canModifyAlbum(actor: CloudActor, { createdBy, cid }: Pick<AlbumEntity, 'createdBy' | 'cid'>): boolean {
  if (actor.role === CLOUD_ROLE.OWNER || actor.role === CLOUD_ROLE.MANAGER) return true;
  return actor.cid === null ? actor.principal === createdBy : actor.cid === cid;
}

/** What is seen and active comes in; what is in already counts as well. */
export function decideAdditions(
  actor: CloudActor,
  { ids, found, inAlbum }: AlbumChangeRequest,
): BulkDecision<AlbumCandidate> {
  return decideItems(ids, found, ({ contentId, cid, state }) => {
    if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    if (inAlbum.has(contentId)) return ITEM_OUTCOME.IS_SO;
    return state === CONTENT_STATE.ACTIVE ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
  });
}

/** What is seen goes out; what is not in any more counts as well, whatever became of it. */
export function decideRemovals(
  actor: CloudActor,
  { ids, found, inAlbum }: AlbumChangeRequest,
): BulkDecision<AlbumCandidate> {
  return decideItems(ids, found, ({ contentId, cid }) => {
    if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    return inAlbum.has(contentId) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.IS_SO;
  });
}
