import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { decideItems, ITEM_OUTCOME } from '../contents/bulk-decision.js';
import type { BulkDecision, ItemOutcome } from '../contents/bulk-decision.js';

/** A content as these decisions see it. */
export interface RecycleBinContent {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const RESTORED: Readonly<Record<ContentState, ItemOutcome>> = {
  [CONTENT_STATE.ACTIVE]: ITEM_OUTCOME.IS_SO,
  [CONTENT_STATE.RECYCLED]: ITEM_OUTCOME.CHANGES,
  [CONTENT_STATE.PURGED]: ITEM_OUTCOME.FAILS,
};

/** What is not in the recycle bin is never purged: whoever wants that deletes it first. */
const PURGED: Readonly<Record<ContentState, ItemOutcome>> = {
  [CONTENT_STATE.ACTIVE]: ITEM_OUTCOME.FAILS,
  [CONTENT_STATE.RECYCLED]: ITEM_OUTCOME.CHANGES,
  [CONTENT_STATE.PURGED]: ITEM_OUTCOME.IS_SO,
};

/** Decides about every id of a restoreContents: who may delete may take it back. */
export function decideRestore<Content extends RecycleBinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): BulkDecision<Content> {
  const may = hasRight(actor, CLOUD_RIGHT.DELETE);
  return decideItems(ids, found, ({ cid, state }) =>
    may && canSee(actor, cid) ? RESTORED[state] : ITEM_OUTCOME.FAILS,
  );
}

/** Decides about every id of a purgeContents. */
export function decidePurge<Content extends RecycleBinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): BulkDecision<Content> {
  const may = hasRight(actor, CLOUD_RIGHT.PURGE);
  return decideItems(ids, found, ({ cid, state }) => (may && canSee(actor, cid) ? PURGED[state] : ITEM_OUTCOME.FAILS));
}
