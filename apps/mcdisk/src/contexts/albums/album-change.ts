import { CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { AlbumEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { decideBulkOutcomes, ITEM_OUTCOME } from '../contents/bulk-decision.js';
import type { BulkDecision } from '../contents/bulk-decision.js';
import type { AlbumCandidate } from './album-content.repository.js';

/** A request to add contents to an album or to remove them, with the stored rows that decide its outcome. */
export interface AlbumChangeRequest {
  requestedIds: readonly string[];
  /** The contents of the actor's cloud whose ids are in `requestedIds`. */
  foundContents: readonly AlbumCandidate[];
  /** Ids of the contents that are in the album. */
  idsInAlbum: ReadonlySet<string>;
}

/**
 * Returns whether the actor is the owner, a manager or the creator of the album. A watch acts as its child, so it may
 * also modify the albums that a former watch of this child created.
 */
export function canModifyAlbum(actor: CloudActor, { createdBy, cid }: Pick<AlbumEntity, 'createdBy' | 'cid'>): boolean {
  if (actor.role === CLOUD_ROLE.OWNER || actor.role === CLOUD_ROLE.MANAGER) return true;
  return actor.cid === null ? actor.principal === createdBy : actor.cid === cid;
}

/**
 * Decides which contents to add: those that are visible and active. A content that is already in the album is reported
 * as added.
 */
export function decideAdditions(
  actor: CloudActor,
  { requestedIds, foundContents, idsInAlbum }: AlbumChangeRequest,
): BulkDecision<AlbumCandidate> {
  return decideBulkOutcomes(requestedIds, foundContents, ({ contentId, cid, state }) => {
    if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    if (idsInAlbum.has(contentId)) return ITEM_OUTCOME.UNCHANGED;
    return state === CONTENT_STATE.ACTIVE ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
  });
}

/**
 * Decides which contents to remove: those that are visible, in any state. A content that is not in the album is
 * reported as removed.
 */
export function decideRemovals(
  actor: CloudActor,
  { requestedIds, foundContents, idsInAlbum }: AlbumChangeRequest,
): BulkDecision<AlbumCandidate> {
  return decideBulkOutcomes(requestedIds, foundContents, ({ contentId, cid }) => {
    if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    return idsInAlbum.has(contentId) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.UNCHANGED;
  });
}
