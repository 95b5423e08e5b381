/**
 * SQL expression for the current time of the database in Unix milliseconds; it advances within a transaction. For times
 * that are compared by several nodes, whose clocks may differ.
 */
export const DATABASE_NOW_MS_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
