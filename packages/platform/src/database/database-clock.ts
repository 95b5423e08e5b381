/**
 * SQL expression for the current time of the database in Unix milliseconds; the time advances within a transaction.
 * Required for times that several nodes compare, because the clocks of nodes may differ.
 */
export const DATABASE_NOW_MS_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * {@link DATABASE_NOW_MS_SQL} for comparisons with an indexed column. It is evaluated once; a comparison with the
 * volatile function itself reads the whole table.
 */
export const DATABASE_NOW_MS_SUBQUERY = `(SELECT ${DATABASE_NOW_MS_SQL})`;
