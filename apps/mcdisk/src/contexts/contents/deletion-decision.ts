import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { isDescendantPath, parsePath } from './folder-path.js';
import type { FolderPath } from './folder-path.js';
import { decideItems, ITEM_OUTCOME } from './bulk-decision.js';

/** A content as the decision sees it. */
export interface DeletableContent {
  contentId: string;
  cid: string | null;
  size: number;
  state: ContentState;
  /** Catalogs it lies in, from the root down. */
  chain: FolderPath;
}

/** What becomes of each id: both lists in the order first named, disjoint, and together the distinct input. */
export interface DeletionDecision {
  deleted: string[];
  failed: string[];
  /** Those of `deleted` that change now; the others were in the recycle bin or purged before. */
  recycled: DeletableContent[];
}

/**
 * Decides about every id of a deleteContents.
 * @param found the contents of the actor's cloud among the ids; what is not there is unknown, foreign or malformed
 * @param path only active contents under it are deleted; empty means wherever they are
 */
export function decideDeletion(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly DeletableContent[],
  path: string,
): DeletionDecision {
  const top = path === '' ? [] : parsePath(path);
  const may = hasRight(actor, CLOUD_RIGHT.DELETE);
  const { done, failed, changed } = decideItems(ids, found, ({ cid, state, chain }) => {
    if (!may || !canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
    // What is gone already counts as deleted, wherever it was.
    if (state !== CONTENT_STATE.ACTIVE) return ITEM_OUTCOME.IS_SO;
    return top !== undefined && isDescendantPath(chain, top) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
  });
  return { deleted: done, failed, recycled: changed };
}
