/** What becomes of one content that a request names. */
export const VERDICT = {
  /** It changes now. */
  CHANGES: 'CHANGES',
  /** It is so already: a retry converges. */
  IS_SO: 'IS_SO',
  FAILS: 'FAILS',
} as const;
export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

/** Both lists of ids are in the order first named, disjoint, and together the distinct input. */
export interface Judgement<Content> {
  done: string[];
  failed: string[];
  /** Those of `done` that change now. */
  changed: Content[];
}

/**
 * Judges every id of a request about many contents.
 * @param found the contents of the caller's cloud among the ids; what is not there is unknown, foreign or malformed
 */
export function judge<Content extends { contentId: string }>(
  ids: readonly string[],
  found: readonly Content[],
  verdictOf: (content: Content) => Verdict,
): Judgement<Content> {
  const contents = new Map(found.map((content) => [content.contentId, content]));
  const judgement: Judgement<Content> = { done: [], failed: [], changed: [] };
  for (const id of new Set(ids)) {
    const content = contents.get(id);
    const verdict = content ? verdictOf(content) : VERDICT.FAILS;
    (verdict === VERDICT.FAILS ? judgement.failed : judgement.done).push(id);
    if (content && verdict === VERDICT.CHANGES) judgement.changed.push(content);
  }
  return judgement;
}
