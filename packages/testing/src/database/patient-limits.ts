import type { DatabaseLimits } from '@family-watch/platform/database/app-database';

/**
 * For suites that are not about the limits of a database: on a busy machine a wait for a lock or a connection may take
 * longer than production allows, and a fault of the database would be answered where none is.
 */
export const PATIENT_LIMITS: Partial<DatabaseLimits> = {
  connectMs: 60_000,
  lockMs: 60_000,
  statementMs: 90_000,
  idleInTransactionMs: 90_000,
};
