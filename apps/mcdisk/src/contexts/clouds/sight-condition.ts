import type { Sight } from './cloud.access.js';

/** What `sightCondition` needs, in this order: the children, and whether only they are seen. */
export function sightParameters({ mode, cids }: Sight): [readonly string[], boolean] {
  return [cids, mode === 'ONLY'];
}

/**
 * The rule of `sees` as a condition of SQL.
 * @param column of the child, as the statement names it
 * @param first number of the first of the two parameters of `sightParameters`
 */
export function sightCondition(column: string, first: number): string {
  return `(${column} IS NULL OR (${column} = ANY($${first}::text[])) = $${first + 1}::boolean)`;
}
