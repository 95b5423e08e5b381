/**
 * SQL expression for the current time of the database in Unix milliseconds; the time advances within a transaction.
 * Required for times that several nodes compare, because the clocks of nodes may differ. A subquery, because a statement
 * evaluates it once: a condition with the volatile function itself cannot use an index.
 */
export const DATABASE_NOW_MS_SQL = '(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';
