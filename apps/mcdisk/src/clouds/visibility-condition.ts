import type { Visibility } from './cloud-actor.js';

/**
 * Returns the parameters of `visibilityCondition`: the ids of children, and whether only these children are visible.
 */
export function visibilityParameters({ mode, cids }: Visibility): [readonly string[], boolean] {
  return [cids, mode === 'ONLY'];
}

/**
 * Returns the rule of `canSee` as a SQL condition.
 * @param column SQL expression of the child id
 * @param first number of the first of the two statement parameters that `visibilityParameters` returns
 */
export function visibilityCondition(column: string, first: number): string {
  return `(${column} IS NULL OR (${column} = ANY($${first}::text[])) = $${first + 1}::boolean)`;
}
