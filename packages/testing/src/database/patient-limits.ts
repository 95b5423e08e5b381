import type { DatabaseLimits } from '@family-watch/platform/database/app-database';

/**
 * Generous timeouts for suites that do not test database timeouts. On a busy machine a wait for a lock or a connection
 * may exceed the production limits, and the test would fail with an unavailable database.
 */
export const PATIENT_LIMITS: Partial<DatabaseLimits> = {
  connectMs: 60_000,
  lockMs: 60_000,
  statementMs: 90_000,
  idleInTransactionMs: 90_000,
};
