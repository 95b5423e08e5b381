/** Raw: a function call without a table. */
export const LOCK_USER_TOKENS = `SELECT pg_advisory_xact_lock(hashtextextended('push_token ' || $1, 0))`;

/** Raw: deletes by a subquery with OFFSET. */
export const DELETE_ALL_BUT_NEWEST_TOKENS = `
  DELETE FROM gateway.push_token WHERE token_id IN (
    SELECT token_id FROM gateway.push_token WHERE user_id = $1 ORDER BY created_at DESC, token_id OFFSET $2
  )`;

/** Raw: set-based. */
export const UPSERT_REQUESTS = `
  INSERT INTO gateway.push_request AS existing (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  SELECT user_id, collapse_key, head, kind, category, urgent, center_message_id, subject::json, due_at, expires_at
  FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::uuid[], $8::text[], $9::bigint[],
    $10::bigint[]
  ) AS request (
    user_id, collapse_key, head, kind, category, urgent, center_message_id, subject, due_at, expires_at
  )
  WHERE EXISTS (SELECT FROM gateway.push_token AS token WHERE token.user_id = request.user_id)
    AND (category = 'SOS' OR NOT EXISTS (
      SELECT FROM gateway.center_reader AS reader
      WHERE reader.user_id = request.user_id
        AND reader.subscription -> 'categories' -> category ->> 'push' = 'false'
    ))
  ORDER BY user_id, collapse_key
  ON CONFLICT (user_id, collapse_key) DO UPDATE SET
    head = excluded.head, kind = excluded.kind, category = excluded.category, urgent = excluded.urgent,
    center_message_id = excluded.center_message_id, subject = excluded.subject,
    due_at = least(existing.due_at, excluded.due_at), expires_at = excluded.expires_at, attempts = 0, delivered = '{}'
  RETURNING 1`;

/** Raw: SKIP LOCKED, and returns a computed column. */
export const CLAIM_REQUESTS = `
  UPDATE gateway.push_request AS request SET claimed_until = $2, attempts = request.attempts + 1
  FROM (
    SELECT user_id, collapse_key FROM gateway.push_request
    WHERE due_at <= $1 AND claimed_until <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE request.user_id = due.user_id AND request.collapse_key = due.collapse_key
  RETURNING request.user_id AS "userId", request.collapse_key AS "collapseKey", head, kind, category, urgent,
    center_message_id AS "centerMessageId", subject, due_at AS "dueAt", expires_at AS "expiresAt", attempts, delivered,
    coalesce((
      SELECT max(acknowledged) FROM gateway.session_cursor WHERE principal = 'user:' || request.user_id
    ), 0) AS acknowledged`;

const COMPLETED_KEYS = 'unnest($1::text[], $2::text[], $3::bigint[]) AS completed (user_id, collapse_key, head)';

/** Raw: set-based. */
export const DELETE_COMPLETED_REQUESTS = `
  DELETE FROM gateway.push_request AS request USING ${COMPLETED_KEYS}
  WHERE request.user_id = completed.user_id AND request.collapse_key = completed.collapse_key
    AND request.head = completed.head`;

/** Raw: set-based. */
export const RELEASE_CONTINUED_REQUESTS = `
  UPDATE gateway.push_request AS request SET claimed_until = 0 FROM ${COMPLETED_KEYS}
  WHERE request.user_id = completed.user_id AND request.collapse_key = completed.collapse_key
    AND request.head <> completed.head`;

/** Raw: the new values depend on the stored ones. */
export const RESCHEDULE_REQUEST = `
  UPDATE gateway.push_request SET
    claimed_until = 0,
    due_at = CASE WHEN head = $3 THEN $4::bigint ELSE due_at END,
    delivered = CASE WHEN head = $3 THEN $5::uuid[] ELSE delivered END
  WHERE user_id = $1 AND collapse_key = $2`;
