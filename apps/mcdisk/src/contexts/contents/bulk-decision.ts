/** What becomes of one content that a request names. */
export const ITEM_OUTCOME = {
  /** It changes now. */
  CHANGES: 'CHANGES',
  /** It is so already: a retry converges. */
  IS_SO: 'IS_SO',
  FAILS: 'FAILS',
} as const;
export type ItemOutcome = (typeof ITEM_OUTCOME)[keyof typeof ITEM_OUTCOME];

/** Both lists of ids are in the order first named, disjoint, and together the distinct input. */
export interface BulkDecision<Content> {
  done: string[];
  failed: string[];
  /** Those of `done` that change now. */
  changed: Content[];
}

/**
 * Judges every id of a request about many contents.
 * @param found the contents of the caller's cloud among the ids; what is not there is unknown, foreign or malformed
 */
export function decideItems<Content extends { contentId: string }>(
  ids: readonly string[],
  found: readonly Content[],
  verdictOf: (content: Content) => ItemOutcome,
): BulkDecision<Content> {
  const contents = new Map(found.map((content) => [content.contentId, content]));
  const judgement: BulkDecision<Content> = { done: [], failed: [], changed: [] };
  for (const id of new Set(ids)) {
    const content = contents.get(id);
    const verdict = content ? verdictOf(content) : ITEM_OUTCOME.FAILS;
    (verdict === ITEM_OUTCOME.FAILS ? judgement.failed : judgement.done).push(id);
    if (content && verdict === ITEM_OUTCOME.CHANGES) judgement.changed.push(content);
  }
  return judgement;
}
