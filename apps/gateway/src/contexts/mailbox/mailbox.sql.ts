import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const MESSAGE_COLUMNS = `
  seq, id, kind, time, sender_type, sender_id, did, cid, family_id, audience, payload, except_session,
  expires_at, octet_length(payload::text) AS bytes`;

/** Raw SQL: one statement for many messages of many recipients. */
export const WITHDRAW_MESSAGES = `
  UPDATE gateway.mailbox_message SET expires_at = 0, payload = '{}'
  WHERE principal = ANY($1::text[]) AND id = ANY($2::uuid[])`;

/** Raw SQL: an UPDATE with a limit. */
export const WITHDRAW_VOICE_MESSAGES = `
  UPDATE gateway.mailbox_message SET expires_at = 0, payload = '{}'
  WHERE (principal, seq) IN (WITH voice AS MATERIALIZED (
    SELECT principal, seq FROM gateway.mailbox_message
    WHERE kind = 'ChatVoiceMessage' AND expires_at IS DISTINCT FROM 0 AND time < $1 LIMIT $2 FOR UPDATE
  ) SELECT * FROM voice) RETURNING 1`;

/** Raw SQL: read for thousands of connected principals at a time. */
export const FIND_HEADS = 'SELECT principal, head FROM gateway.mailbox_head WHERE principal = ANY($1::text[])';

/** Raw SQL: shares the columns of {@link READ_RANGES}. */
export const FIND_MESSAGE = `SELECT ${MESSAGE_COLUMNS} FROM gateway.mailbox_message WHERE principal = $1 AND id = $2::uuid`;

/** Raw SQL: DISTINCT over a limited subquery. */
export const FIND_PRINCIPALS_WITH_MESSAGES_BEFORE = `
  SELECT DISTINCT principal
  FROM (SELECT principal FROM gateway.mailbox_message WHERE time < $1 LIMIT $2) AS old`;

/** Raw SQL: prepared; one statement for many rows. */
export const INSERT_MISSING_HEADS = prepared(`
  INSERT INTO gateway.mailbox_head (principal)
  SELECT key FROM unnest($1::text[]) AS key
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = key)
  ORDER BY key
  ON CONFLICT DO NOTHING`);

/** Raw SQL: prepared, because it runs in every transaction that stores messages. */
export const LOCK_HEADS = prepared(`
  SELECT principal, head FROM gateway.mailbox_head
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`);

/** Raw SQL: prepared; a join with the parameters. */
export const FIND_STORED_ENTRIES = prepared(`
  SELECT stored.principal, stored.id
  FROM unnest($1::text[], $2::uuid[]) AS requested (principal, id)
  JOIN gateway.mailbox_message AS stored ON stored.principal = requested.principal AND stored.id = requested.id`);

/** Raw SQL: prepared; a join with the parameters. */
export const FIND_WITH_OTHER_SESSIONS = prepared(`
  SELECT excluded.principal FROM unnest($1::text[], $2::text[]) AS excluded (principal, session)
  WHERE EXISTS (
    SELECT FROM gateway.session_cursor AS cursor
    WHERE cursor.principal = excluded.principal AND cursor.session <> excluded.session
  )`);

/** Raw SQL: prepared; a lateral join reads the ranges of many mailboxes at once. */
export const READ_RANGES = prepared(`
  SELECT range.request, message.*
  FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS range (request, principal, after, through)
  CROSS JOIN LATERAL (
    SELECT ${MESSAGE_COLUMNS}
    FROM gateway.mailbox_message AS stored
    WHERE stored.principal = range.principal AND stored.seq > range.after AND stored.seq <= range.through
      AND (stored.expires_at IS NULL OR stored.expires_at > $5::bigint)
      AND (stored.replace_key IS NULL OR NOT EXISTS (
        SELECT FROM gateway.mailbox_message AS newer
        WHERE newer.principal = stored.principal AND newer.replace_key = stored.replace_key AND newer.seq > stored.seq
      ))
    ORDER BY stored.seq
    LIMIT $6::int
  ) AS message
  ORDER BY range.request, message.seq`);

/** Raw SQL: a CTE that deletes messages and updates the heads. */
export const PRUNE_MAILBOXES = `
  WITH deleted AS (
    DELETE FROM gateway.mailbox_message WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  )
  UPDATE gateway.mailbox_head AS mailbox SET pruned = greatest(mailbox.pruned, least(last.seq, retained.seq - 1))
  FROM (SELECT principal, max(seq) AS seq FROM deleted GROUP BY principal) AS last
  LEFT JOIN LATERAL (
    -- A message with a higher sequence number can be older: a replayed dead letter gets a new sequence number.
    SELECT seq FROM gateway.mailbox_message AS stored
    WHERE stored.principal = last.principal AND stored.time >= $2::bigint
    ORDER BY seq LIMIT 1
  ) AS retained ON true
  WHERE mailbox.principal = last.principal`;

/**
 * Raw SQL: prepared; one statement for many rows; the group commit of mailbox entries. Stores numbered entries and
 * updates the mailbox heads, which the current transaction must have locked.
 */
export const STORE_ENTRIES = prepared(`
  WITH stored AS (
    INSERT INTO gateway.mailbox_message (
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session
    )
    SELECT * FROM unnest(
      $1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
      $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::json[], $15::text[]
    )
  )
  UPDATE gateway.mailbox_head AS mailbox SET head = appended.head
  FROM unnest($16::text[], $17::bigint[]) AS appended (principal, head)
  WHERE mailbox.principal = appended.principal`);

/** Raw SQL: one statement for many rows, and never moves a cursor back. */
export const ADVANCE_CURSORS = `
  UPDATE gateway.session_cursor AS cursor
  SET acknowledged = greatest(cursor.acknowledged, ack.seq), seen_at = $4
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS ack (session, principal, seq)
  WHERE cursor.session = ack.session AND cursor.principal = ack.principal`;

/** Raw SQL: prepared; joins with the parameters, in their order. */
export const FIND_MAILBOXES = prepared(`
  SELECT coalesce(mailbox.head, 0) AS head, coalesce(mailbox.pruned, 0) AS "deletedThrough", epoch, acknowledged
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS requested (principal, session, ordinal)
  CROSS JOIN gateway.epoch
  LEFT JOIN gateway.mailbox_head AS mailbox ON mailbox.principal = requested.principal
  LEFT JOIN gateway.session_cursor AS cursor
    ON cursor.session = requested.session AND cursor.principal = requested.principal
  ORDER BY ordinal`);

/** Raw SQL: prepared; one statement for many rows, with a condition for the update. */
export const OPEN_SESSIONS = prepared(`
  INSERT INTO gateway.session_cursor AS existing (session, principal, acknowledged, seen_at)
  SELECT session, principal, start, $5::bigint
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS opened (session, principal, start)
  ORDER BY session
  ON CONFLICT (session) DO UPDATE SET
    seen_at = excluded.seen_at,
    acknowledged = CASE
      WHEN existing.session = ANY($4::text[]) THEN excluded.acknowledged
      ELSE existing.acknowledged
    END
  WHERE existing.principal = excluded.principal`);

/**
 * Raw SQL: estimates from the statistics of the table and from the connections on about 20 pages, because exact counts
 * would read every mailbox.
 */
export const ESTIMATE_MAILBOXES = `
  WITH sampling AS (
    SELECT least(100, 100 * 20 / greatest(1, pg_relation_size('gateway.connection') / 8192.0)) AS percent
  )
  SELECT
    (SELECT greatest(0, reltuples)::bigint FROM pg_class WHERE oid = 'gateway.mailbox_message'::regclass) AS stored,
    round(coalesce(sum(mailbox.head - cursor.acknowledged), 0) * 100 / (SELECT percent FROM sampling))::bigint
      AS unacknowledged,
    min(oldest.time) AS oldest
  FROM gateway.connection AS open TABLESAMPLE SYSTEM ((SELECT percent FROM sampling))
  -- A watch has one cursor for all its tokens.
  JOIN gateway.session_cursor AS cursor ON cursor.principal = open.principal
    AND cursor.session = CASE WHEN open.principal LIKE 'watch:%' THEN open.principal ELSE open.session END
  JOIN gateway.mailbox_head AS mailbox
    ON mailbox.principal = open.principal AND mailbox.head > cursor.acknowledged
  LEFT JOIN LATERAL (
    SELECT time FROM gateway.mailbox_message AS stored
    WHERE stored.principal = open.principal AND stored.seq > cursor.acknowledged
    ORDER BY stored.seq LIMIT 1
  ) AS oldest ON true`;
