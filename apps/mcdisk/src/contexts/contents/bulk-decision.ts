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
 * Outcome of a bulk request. The lists `done` and `failed` are in request order and disjoint, and together contain each
 * requested id once.
 */
export interface BulkDecision<Content> {
  done: string[];
  failed: string[];
  /** The contents of `done` that are changed by this request. */
  changed: Content[];
}

/**
 * Decides the outcome of every id of a bulk request.
 * @param found the contents of the caller's cloud with these ids; all other ids are unknown, foreign or malformed
 */
export function decideItems<Content extends { contentId: string }>(
  ids: readonly string[],
  found: readonly Content[],
  decide: (content: Content) => ItemOutcome,
): BulkDecision<Content> {
  const contents = new Map(found.map((content) => [content.contentId, content]));
  const decision: BulkDecision<Content> = { done: [], failed: [], changed: [] };
  for (const id of new Set(ids)) {
    const content = contents.get(id);
    const outcome = content ? decide(content) : ITEM_OUTCOME.FAILS;
    (outcome === ITEM_OUTCOME.FAILS ? decision.failed : decision.done).push(id);
    if (content && outcome === ITEM_OUTCOME.CHANGES) decision.changed.push(content);
  }
  return decision;
}
