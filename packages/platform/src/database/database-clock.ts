/**
 * SQL: Unix milliseconds by the clock of the database, also within a transaction. For what several nodes compare, whose
 * own clocks differ.
 */
export const DATABASE_NOW_MS_SQL = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
