/** Raw SQL: ON CONFLICT DO UPDATE with a condition, because a newer snapshot may be stored concurrently. */
export const UPSERT_NOTIFIED_FAMILY_IF_NEWER = `
  INSERT INTO gateway.center_family AS existing (family_id, version, members) VALUES ($1, $2, $3)
  ON CONFLICT (family_id) DO UPDATE SET version = excluded.version, members = excluded.members
    WHERE existing.version < excluded.version`;

/**
 * Raw SQL: one statement for many rows. Inserts the missing recipients in the order of their ids, so that transactions
 * cannot deadlock.
 */
export const INSERT_MISSING_RECIPIENTS = `
  INSERT INTO gateway.center_reader (user_id)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.center_reader WHERE user_id = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

/** Raw SQL: a count per user that reads at most $2 rows of each. */
export const COUNT_UNREAD = `
  SELECT recipient AS "userId", unread.count::int AS unread
  FROM unnest($1::text[]) AS recipient, LATERAL (
    SELECT count(*) FROM (
      SELECT FROM gateway.center_message AS message WHERE message.user_id = recipient AND NOT message.read LIMIT $2
    ) AS counted
  ) AS unread`;

const insertMessagesSql = (conflict: string): string => `
  WITH entry AS (
    SELECT * FROM unnest(
      $1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
      $10::text[], $11::bigint[]
    ) WITH ORDINALITY AS entry (
      user_id, message_id, category, severity, type, params, family_id, cid, did, audience, time, ordinal
    )
  ), stored AS (
    INSERT INTO gateway.center_message AS existing (
      user_id, message_id, category, severity, type, params, family_id, cid, did, audience, time
    )
    SELECT user_id, message_id, category, severity, type, params::json, family_id, cid, did, audience, time FROM entry
    ON CONFLICT ${conflict}
    RETURNING existing.user_id, existing.message_id
  )
  SELECT min(ordinal)::int AS ordinal FROM entry JOIN stored USING (user_id, message_id)
  GROUP BY user_id, message_id ORDER BY ordinal`;

/** Raw SQL: one statement for many rows, and returns which of the entries were inserted. */
export const INSERT_MESSAGES = insertMessagesSql('DO NOTHING');

/** Raw SQL: like {@link INSERT_MESSAGES}, with a condition for the update. */
export const UPSERT_MESSAGES_IF_NEWER =
  insertMessagesSql(`ON CONSTRAINT pk_center_message DO UPDATE SET params = excluded.params, time = excluded.time
      WHERE existing.time <= excluded.time`);

/** Raw SQL: the update joins the table with itself. */
export const MARK_READ_THROUGH = `
  UPDATE gateway.center_message AS message SET read = true
  FROM gateway.center_message AS last
  WHERE last.user_id = $1 AND last.message_id = $2::uuid AND message.user_id = $1
    AND (message.time, message.message_id) <= (last.time, last.message_id)
    AND (NOT message.read OR message.message_id = last.message_id)
  RETURNING 1`;

/** Raw SQL: one statement for many rows. */
export const DELETE_BY_SUBJECTS = `
  DELETE FROM gateway.center_message AS message
  USING unnest($2::text[], $3::text[], $4::text[]) AS obsolete (user_id, cid, audience)
  WHERE message.family_id = $1 AND message.user_id = obsolete.user_id AND message.audience = obsolete.audience
    AND message.cid IS NOT DISTINCT FROM obsolete.cid`;

/** Raw SQL: a limited DELETE with SKIP LOCKED. */
export const PRUNE_MESSAGES = `
  DELETE FROM gateway.center_message WHERE (user_id, message_id) IN (
    SELECT user_id, message_id FROM gateway.center_message WHERE time < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING 1`;

/** Raw SQL: one statement for many rows. */
export const INSERT_ALERTS = `
  INSERT INTO gateway.alert (
    user_id, message_id, notice_id, family_id, cid, category, audience, about, time, due_at
  )
  SELECT *, $10::bigint FROM unnest(
    $1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[]
  )
  ON CONFLICT DO NOTHING`;

/** Raw SQL: a limited DELETE with SKIP LOCKED that returns a computed column. */
export const CLAIM_DUE_ALERTS = `
  DELETE FROM gateway.alert AS alert
  WHERE (user_id, message_id) IN (
    SELECT user_id, message_id FROM gateway.alert WHERE due_at <= $1 ORDER BY due_at LIMIT $2
    FOR UPDATE SKIP LOCKED
  )
  RETURNING user_id AS "userId", message_id AS "messageId", family_id AS "familyId", cid, category, audience,
    about AS "alertKey", time,
    pushed OR EXISTS (
      SELECT FROM gateway.mailbox_entry AS message
      JOIN gateway.session_cursor AS cursor
        ON cursor.principal = message.principal AND cursor.acknowledged >= message.seq
      WHERE message.principal = 'user:' || alert.user_id AND message.id = alert.notice_id
    ) AS delivered`;

/** Raw SQL: a function call without a table. */
export const LOCK_USER_TOKENS = `SELECT pg_advisory_xact_lock(hashtextextended('push_token ' || $1, 0))`;

/** Raw SQL: deletes by a subquery with OFFSET. */
export const DELETE_ALL_BUT_NEWEST_TOKENS = `
  DELETE FROM gateway.push_token WHERE token_id IN (
    SELECT token_id FROM gateway.push_token WHERE user_id = $1 ORDER BY created_at DESC, token_id OFFSET $2
  )`;

/**
 * Raw SQL: one statement for many rows. A message from the week before a restore, for which outboxes retain events, may
 * have been announced before the restore. Earlier times are those of watches whose clock is not set.
 */
export const UPSERT_REQUESTS = `
  INSERT INTO gateway.push_request AS existing (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  SELECT user_id, collapse_key, head, kind, category, urgent, center_message_id, subject::json, due_at, expires_at
  FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::uuid[], $8::text[], $9::bigint[],
    $10::bigint[], $11::bigint[]
  ) AS request (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at, message_time
  )
  WHERE EXISTS (SELECT FROM gateway.push_token AS token WHERE token.user_id = request.user_id)
    AND (category = 'SOS' OR NOT EXISTS (
      SELECT FROM gateway.center_reader AS reader
      WHERE reader.user_id = request.user_id
        AND reader.subscription -> 'categories' -> category ->> 'push' = 'false'
    ))
    AND NOT EXISTS (
      SELECT FROM gateway.epoch WHERE message_time < restored_at AND message_time >= restored_at - 604800000
    )
  ORDER BY user_id, collapse_key
  ON CONFLICT (user_id, collapse_key) DO UPDATE SET
    head = excluded.head, kind = excluded.kind, category = excluded.category, urgent = excluded.urgent,
    center_message_id = excluded.center_message_id, subject = excluded.subject,
    due_at = least(existing.due_at, excluded.due_at), expires_at = excluded.expires_at, attempts = 0, delivered = '{}'
  RETURNING 1`;

/**
 * Raw SQL: window function. Deletes requests beyond the $2 newest ones of each of these users. Requests that are not
 * urgent are deleted first.
 */
export const DELETE_EXCESS_REQUESTS = `
  DELETE FROM gateway.push_request WHERE (user_id, collapse_key) IN (
    SELECT user_id, collapse_key FROM (
      SELECT user_id, collapse_key, row_number() OVER (PARTITION BY user_id ORDER BY urgent DESC, head DESC) AS place
      FROM gateway.push_request WHERE user_id = ANY($1::text[])
    ) AS ranked WHERE place > $2
  )
  RETURNING 1`;

/**
 * Raw SQL: SKIP LOCKED, and returns a computed column. Claims one request per user, of at most $3 users who are not in
 * $4, so that a user with thousands of due requests delays no other. A call is claimed before the user's other requests.
 * Only the $5 requests that have been due longest are compared, so that a claim costs the same in a long queue.
 */
const claimRequestsSql = (urgency: 'urgent' | 'NOT urgent'): string => `
  UPDATE gateway.push_request AS request SET claimed_until = $2, attempts = request.attempts + 1
  FROM (
    SELECT user_id, collapse_key FROM gateway.push_request
    WHERE due_at <= $1 AND claimed_until <= $1 AND (user_id, collapse_key) IN (
      SELECT DISTINCT ON (user_id) user_id, collapse_key FROM (
        SELECT user_id, collapse_key, category, due_at FROM gateway.push_request
        WHERE ${urgency} AND due_at <= $1 AND claimed_until <= $1 AND user_id <> ALL($4::text[])
        ORDER BY due_at LIMIT $5
      ) AS waiting
      ORDER BY user_id, category = 'CALL' DESC, due_at
    )
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE request.user_id = due.user_id AND request.collapse_key = due.collapse_key
  RETURNING request.user_id AS "userId", request.collapse_key AS "collapseKey", head, kind, category, urgent,
    center_message_id AS "centerMessageId", subject, due_at AS "dueAt", expires_at AS "expiresAt",
    claimed_until AS "claimedUntil", attempts, delivered,
    coalesce((
      SELECT max(acknowledged) FROM gateway.session_cursor WHERE principal = 'user:' || request.user_id
    ), 0) AS acknowledged`;

/** Raw SQL: see {@link claimRequestsSql}. A statement per lane, because each lane has an index. */
export const CLAIM_REQUESTS = {
  urgent: claimRequestsSql('urgent'),
  other: claimRequestsSql('NOT urgent'),
} as const;

/** Raw SQL: the new values depend on the stored ones. */
export const RESCHEDULE_REQUEST = `
  UPDATE gateway.push_request SET
    claimed_until = 0,
    due_at = CASE WHEN head = $3 THEN $4::bigint ELSE due_at END,
    delivered = CASE WHEN head = $3 THEN $5::uuid[] ELSE delivered END
  WHERE user_id = $1 AND collapse_key = $2 AND claimed_until = $6`;
