/** Raw: runs with every batch of heartbeats. */
export const LOCK_WATCHES = `
  SELECT principal, online FROM gateway.watch_presence
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

/**
 * Raw: set-based, and the update depends on the existing row. Inserts or updates watches that were seen. An existing
 * `due_at` is kept, so the watch may be evaluated once too early, which is rare.
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

/** Raw: set-based. */
export const STORE_DISCONNECTS = `
  UPDATE gateway.watch_presence AS existing SET ended_at = greatest(existing.ended_at, latest.ended_at)
  FROM (SELECT principal, max(ended_at) AS ended_at
        FROM unnest($1::text[], $2::bigint[]) AS each (principal, ended_at)
        GROUP BY principal ORDER BY principal) AS latest
  WHERE existing.principal = latest.principal`;

/** Raw: set-based. */
export const UPDATE_WATCHES = `
  UPDATE gateway.watch_presence AS watch
  SET online = updated.online, settled = updated.settled, due_at = updated.due_at
  FROM unnest($1::text[], $2::boolean[], $3::boolean[], $4::bigint[])
    AS updated (principal, online, settled, due_at)
  WHERE watch.principal = updated.principal`;
