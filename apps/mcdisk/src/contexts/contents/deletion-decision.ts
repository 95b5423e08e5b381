import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { isDescendantPath, parsePath } from './folder-path.js';
import type { FolderPath } from './folder-path.js';
import { decideBulkOutcomes, ITEM_OUTCOME } from './bulk-decision.js';

/** The columns of a content that the decision needs. */
export interface DeletableContent {
  contentId: string;
  cid: string | null;
  size: number;
  state: ContentState;
  /** Ids of the folders that contain the content, from the root down. */
  pathIds: FolderPath;
}

/**
 * Outcome of a deleteContents request. The lists `deletedIds` and `failedIds` are in request order and disjoint, and
 * together contain each requested id once.
 */
export interface DeletionDecision {
  deletedIds: string[];
  failedIds: string[];
  /**
   * The contents in `deletedIds` that are recycled by this request; the other contents were recycled or purged before.
   */
  recycledContents: DeletableContent[];
}

/**
 * Decides the outcome of every id of a deleteContents request.
 * @param found the contents of the actor's cloud with these ids; all other ids are unknown, foreign or malformed
 * @param path only active contents in this folder or its descendants are deleted; when empty, those in any folder
 */
export function decideDeletion(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly DeletableContent[],
  path: string,
): DeletionDecision {
  const top = path === '' ? [] : parsePath(path);
  const canDelete = hasRight(actor, CLOUD_RIGHT.DELETE);
  const { doneIds, failedIds, changedContents } = decideBulkOutcomes(ids, found, ({ cid, state, pathIds }) => {
    if (!canDelete || !canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    // A content that is not active counts as deleted, whatever its former folder.
    if (state !== CONTENT_STATE.ACTIVE) return ITEM_OUTCOME.UNCHANGED;
    return top !== undefined && isDescendantPath(pathIds, top) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
  });
  return { deletedIds: doneIds, failedIds, recycledContents: changedContents };
}
