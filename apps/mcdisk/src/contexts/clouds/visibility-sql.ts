import type { Visibility } from './cloud-actor.js';

/** What `visibilityCondition` needs, in this order: the children, and whether only they are seen. */
export function visibilityParameters({ mode, cids }: Visibility): [readonly string[], boolean] {
  return [cids, mode === 'ONLY'];
}

/**
 * The rule of `sees` as a condition of SQL.
 * @param column of the child, as the statement names it
 * @param first number of the first of the two parameters of `visibilityParameters`
 */
export function visibilityCondition(column: string, first: number): string {
  return `(${column} IS NULL OR (${column} = ANY($${first}::text[])) = $${first + 1}::boolean)`;
}
