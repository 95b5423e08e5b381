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
