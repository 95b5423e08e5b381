import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

/** The lease of a node, which also covers its connections, expires after this time without renewal. Milliseconds. */
const NODE_LEASE_MS = 9_000;

/** SQL expression: a node whose lease was renewed before this time has no valid lease. */
export const LEASE_CUTOFF_SQL = `(${DATABASE_NOW_MS_SQL} - ${NODE_LEASE_MS})`;
