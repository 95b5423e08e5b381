import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { decideBulkOutcomes, ITEM_OUTCOME } from '../contents/bulk-decision.js';
import type { BulkDecision, ItemOutcome } from '../contents/bulk-decision.js';

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
