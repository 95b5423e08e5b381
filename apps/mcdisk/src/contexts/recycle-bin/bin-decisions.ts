import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentState } from '@family-watch/domain/family-cloud/contracts/content';
import { mayIn, sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { judge, VERDICT } from '../contents/judgement.js';
import type { Judgement, Verdict } from '../contents/judgement.js';

/** A content as these decisions see it. */
export interface BinContent {
  contentId: string;
  cid: string | null;
  state: ContentState;
}

const RESTORED: Readonly<Record<ContentState, Verdict>> = {
  [CONTENT_STATE.ACTIVE]: VERDICT.IS_SO,
  [CONTENT_STATE.RECYCLED]: VERDICT.CHANGES,
  [CONTENT_STATE.PURGED]: VERDICT.FAILS,
};

/** What is not in the recycle bin is never purged: whoever wants that deletes it first. */
const PURGED: Readonly<Record<ContentState, Verdict>> = {
  [CONTENT_STATE.ACTIVE]: VERDICT.FAILS,
  [CONTENT_STATE.RECYCLED]: VERDICT.CHANGES,
  [CONTENT_STATE.PURGED]: VERDICT.IS_SO,
};

/** Decides about every id of a restoreContents: who may delete may take it back. */
export function decideRestoration<Content extends BinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): Judgement<Content> {
  const may = mayIn(actor, CLOUD_RIGHT.DELETE);
  return judge(ids, found, ({ cid, state }) => (may && sees(actor, cid) ? RESTORED[state] : VERDICT.FAILS));
}

/** Decides about every id of a purgeContents. */
export function decidePurge<Content extends BinContent>(
  actor: CloudActor,
  ids: readonly string[],
  found: readonly Content[],
): Judgement<Content> {
  const may = mayIn(actor, CLOUD_RIGHT.PURGE);
  return judge(ids, found, ({ cid, state }) => (may && sees(actor, cid) ? PURGED[state] : VERDICT.FAILS));
}
