import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { mayIn, sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { liesUnder, parsePath } from './catalog-path.js';
import type { CatalogChain } from './catalog-path.js';
import { judge, VERDICT } from './judgement.js';

/** A content as the decision sees it. */
export interface DeletableContent {
  contentId: string;
  cid: string | null;
  size: number;
  state: ContentState;
  /** Catalogs it lies in, from the root down. */
  chain: CatalogChain;
}

/** What becomes of each id: both lists in the order first named, disjoint, and together the distinct input. */
export interface Deletion {
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
): Deletion {
  const top = path === '' ? [] : parsePath(path);
  const may = mayIn(actor, CLOUD_RIGHT.DELETE);
  const { done, failed, changed } = judge(ids, found, ({ cid, state, chain }) => {
    if (!may || !sees(actor, cid)) return VERDICT.FAILS;
    // What is gone already counts as deleted, wherever it was.
    if (state !== CONTENT_STATE.ACTIVE) return VERDICT.IS_SO;
    return top !== undefined && liesUnder(chain, top) ? VERDICT.CHANGES : VERDICT.FAILS;
  });
  return { deleted: done, failed, recycled: changed };
}
