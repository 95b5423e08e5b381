import type { DatabaseLimits } from '@family-watch/platform/database/app-database';

/**
 * Long timeouts for suites that do not test database timeouts. On a busy machine a wait for a lock or a connection may
 * exceed the production limits, and the test would fail with a `DatabaseUnavailableError`.
 */
export const GENEROUS_LIMITS: Partial<DatabaseLimits> = {
  connectTimeoutMs: 60_000,
  lockTimeoutMs: 60_000,
  statementTimeoutMs: 90_000,
  idleInTransactionTimeoutMs: 90_000,
};
