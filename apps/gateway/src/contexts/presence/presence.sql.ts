import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';
import { LEASE_CUTOFF_SQL } from '../../infrastructure/node-lease.sql.js';

/** Raw SQL: one statement for many rows. */
export const INSERT_CONNECTIONS = `
  INSERT INTO gateway.connection (connection_id, principal, session, opened_at, node_id)
  SELECT *, $5::uuid FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
  ON CONFLICT (connection_id) DO NOTHING`;

/** Raw SQL: runs with every batch of connections. */
export const DELETE_CONNECTIONS = 'DELETE FROM gateway.connection WHERE connection_id = ANY($1::text[])';

/** Raw SQL: joins three tables, with the clock of the database. */
export const FIND_CONNECTED_PRINCIPALS = `
  SELECT DISTINCT principal
  FROM gateway.connection
  JOIN gateway.node USING (node_id)
  LEFT JOIN gateway.watch_presence AS watch USING (principal)
  WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_CUTOFF_SQL} AND coalesce(watch.heard_at > $2, true)`;

/** Raw SQL: an aggregate with the clock of the database. */
export const FIND_SERVING_SINCE = `SELECT min(listening_since) AS since FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}`;

/** Raw SQL: a CTE that claims rows with SKIP LOCKED, and deletes from two tables. */
export const REMOVE_EXPIRED_NODES = `
  WITH expired AS (
    SELECT node_id FROM gateway.node WHERE beat_at <= ${LEASE_CUTOFF_SQL} FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM gateway.node USING expired WHERE node.node_id = expired.node_id RETURNING node.node_id, beat_at
  )
  DELETE FROM gateway.connection USING removed WHERE connection.node_id = removed.node_id
  RETURNING principal, beat_at AS "disconnectedAt"`;

/**
 * Raw SQL: depends on the rows of all nodes. If no node had a valid lease before, sets `listening_since` to the time
 * `$2`.
 */
export const RENEW_LEASE = prepared(`
  WITH before AS (
    SELECT min(listening_since) AS since, coalesce(bool_or(node_id = $1::uuid), false) AS was_valid
    FROM gateway.node WHERE beat_at > ${LEASE_CUTOFF_SQL}
  )
  INSERT INTO gateway.node (node_id, beat_at, listening_since)
  SELECT $1::uuid, ${DATABASE_NOW_MS_SQL}, coalesce(since, $2::bigint) FROM before
  ON CONFLICT (node_id) DO UPDATE SET beat_at = excluded.beat_at, listening_since = excluded.listening_since
  RETURNING (SELECT was_valid FROM before) AS "wasValid"`);

/** Raw SQL: runs with every batch of heartbeats. */
export const LOCK_WATCHES = `
  SELECT principal, online FROM gateway.watch_presence
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

/**
 * Raw SQL: one statement for many rows, and the update depends on the existing row. Inserts or updates watches that
 * were seen. An existing `due_at` is kept, because a change of this indexed column would prevent in-page (HOT) updates;
 * the evaluation of the watch sets the next `due_at`.
 */
export const STORE_SEEN_WATCHES = `
  INSERT INTO gateway.watch_presence AS existing
    (principal, online, settled, heard_at, ended_at, shut_down_at, due_at)
  SELECT principal, true, false, heard_at, ended_at, shut_down_at, heard_at + $5::bigint
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
    AS seen (principal, heard_at, ended_at, shut_down_at)
  ORDER BY principal
  ON CONFLICT (principal) DO UPDATE SET
    online = true,
    settled = false,
    heard_at = greatest(existing.heard_at, excluded.heard_at),
    ended_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.ended_at ELSE coalesce(excluded.ended_at, existing.ended_at) END,
    shut_down_at = CASE WHEN excluded.principal = ANY($6::text[])
      THEN excluded.shut_down_at ELSE coalesce(excluded.shut_down_at, existing.shut_down_at) END,
    due_at = coalesce(existing.due_at, excluded.due_at)`;

/** Raw SQL: one statement for many rows. */
export const STORE_DISCONNECTS = `
  UPDATE gateway.watch_presence AS existing SET ended_at = greatest(existing.ended_at, latest.ended_at)
  FROM (SELECT principal, max(ended_at) AS ended_at
        FROM unnest($1::text[], $2::bigint[]) AS each (principal, ended_at)
        GROUP BY principal ORDER BY principal) AS latest
  WHERE existing.principal = latest.principal`;

/** Raw SQL: one statement for many rows. */
export const UPDATE_WATCHES = `
  UPDATE gateway.watch_presence AS watch
  SET online = updated.online, settled = updated.settled, due_at = updated.due_at
  FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::bigint[])
    AS updated (principal, online, settled, due_at)
  WHERE watch.principal = updated.principal`;

/** Raw SQL: runs with {@link INSERT_CONNECTIONS} in one transaction. */
export const DELETE_OTHER_CONNECTIONS = `DELETE FROM gateway.connection WHERE node_id = $1::uuid AND NOT connection_id = ANY($2::text[])`;
