import type { Visibility } from './cloud-actor.js';

/** Returns the parameters of `visibilityCondition`: the children, and whether only they are visible. */
export function visibilityParameters({ mode, cids }: Visibility): [readonly string[], boolean] {
  return [cids, mode === 'ONLY'];
}

/**
 * Returns the rule of `canSee` as a SQL condition.
 * @param column expression of the child id in the statement
 * @param first number of the first of the two parameters of `visibilityParameters`
 */
export function visibilityCondition(column: string, first: number): string {
  return `(${column} IS NULL OR (${column} = ANY($${first}::text[])) = $${first + 1}::boolean)`;
}
