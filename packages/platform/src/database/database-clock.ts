/**
 * SQL expression for the current time of the database in Unix milliseconds; the time advances within a transaction. Use
 * it for times that several nodes compare, because their clocks may differ.
 */
export const DATABASE_NOW_MS_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
