import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_STATE, type ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { hasRight, canSee, type CloudActor } from '../../clouds/cloud-actor.js';
import { isDescendantPath, parsePath, type FolderPath } from '../folders/folder-path.js';

/** Outcome for one content of a bulk request. */
export const ITEM_OUTCOME = {
  /** The content is changed by this request. */
  CHANGES: 'CHANGES',
  /** The content already has the requested state and counts as done, so that a repeated request succeeds. */
  UNCHANGED: 'UNCHANGED',
  FAILS: 'FAILS',
} as const;
export type ItemOutcome = (typeof ITEM_OUTCOME)[keyof typeof ITEM_OUTCOME];

/**
 * Outcome of a bulk request. The lists `doneIds` and `failedIds` are in request order and disjoint, and together
 * contain each requested id once.
 */
export interface BulkDecision<Content> {
  doneIds: string[];
  failedIds: string[];
  /** The contents in `doneIds` that are changed by this request. */
  changedContents: Content[];
}

/**
 * Decides the outcome of every id of a bulk request.
 * @param found the contents of the caller's cloud with these ids; all other ids are unknown, foreign or malformed
 */
export function decideBulkOutcomes<Content extends { contentId: string }>(
  ids: readonly string[],
  found: readonly Content[],
  decide: (content: Content) => ItemOutcome,
): BulkDecision<Content> {
  const contents = new Map(found.map((content) => [content.contentId, content]));
  const decision: BulkDecision<Content> = { doneIds: [], failedIds: [], changedContents: [] };
  for (const id of new Set(ids)) {
    const content = contents.get(id);
    const outcome = content ? decide(content) : ITEM_OUTCOME.FAILS;
    (outcome === ITEM_OUTCOME.FAILS ? decision.failedIds : decision.doneIds).push(id);
    if (content && outcome === ITEM_OUTCOME.CHANGES) decision.changedContents.push(content);
  }
  return decision;
}

/** The fields of a content that the decision to delete needs. */
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
    // A content that is not active counts as deleted, regardless of its former folder.
    if (state !== CONTENT_STATE.ACTIVE) return ITEM_OUTCOME.UNCHANGED;
    return top !== undefined && isDescendantPath(pathIds, top) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
  });
  return { deletedIds: doneIds, failedIds, recycledContents: changedContents };
}

/** The fields of a content that the decisions to restore and purge need. */
export interface RecycleBinContent {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const RESTORE_OUTCOMES: Readonly<Record<ContentState, ItemOutcome>> = {
  [CONTENT_STATE.ACTIVE]: ITEM_OUTCOME.UNCHANGED,
  [CONTENT_STATE.RECYCLED]: ITEM_OUTCOME.CHANGES,
  [CONTENT_STATE.PURGED]: ITEM_OUTCOME.FAILS,
};

/**
 * Outcome of a purge by state. Only contents in the recycle bin can be purged; active contents must be deleted first.
 */
const PURGE_OUTCOMES: Readonly<Record<ContentState, ItemOutcome>> = {
  [CONTENT_STATE.ACTIVE]: ITEM_OUTCOME.FAILS,
  [CONTENT_STATE.RECYCLED]: ITEM_OUTCOME.CHANGES,
  [CONTENT_STATE.PURGED]: ITEM_OUTCOME.UNCHANGED,
};

/** Decides the outcome of each id of a restoreContents request. The right to delete includes the right to restore. */
export function decideRestore<Content extends RecycleBinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): BulkDecision<Content> {
  const isAllowed = hasRight(actor, CLOUD_RIGHT.DELETE);
  return decideBulkOutcomes(ids, found, ({ cid, state }) =>
    isAllowed && canSee(actor, cid) ? RESTORE_OUTCOMES[state] : ITEM_OUTCOME.FAILS,
  );
}

/** Decides the outcome of each id of a purgeContents request. */
export function decidePurge<Content extends RecycleBinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): BulkDecision<Content> {
  const isAllowed = hasRight(actor, CLOUD_RIGHT.PURGE);
  return decideBulkOutcomes(ids, found, ({ cid, state }) =>
    isAllowed && canSee(actor, cid) ? PURGE_OUTCOMES[state] : ITEM_OUTCOME.FAILS,
  );
}
