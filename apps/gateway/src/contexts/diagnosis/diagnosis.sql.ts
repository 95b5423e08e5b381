import { LEASE_CUTOFF_SQL } from '../../infrastructure/node-lease.sql.js';

/** Raw SQL: the lease of the connection's node, with the clock of the database. */
export const FIND_CONNECTIONS = `
  SELECT principal, session AS "sessionId", node_id AS "nodeId", opened_at AS since
  FROM gateway.connection
  JOIN gateway.node USING (node_id)
  WHERE principal = ANY($1::text[]) AND beat_at > ${LEASE_CUTOFF_SQL}
  ORDER BY opened_at
  LIMIT $2`;

/** Raw SQL: a lateral join, which reads one message for each session. */
export const FIND_SESSIONS = `
  SELECT cursor.principal, cursor.session AS "sessionId", cursor.acknowledged, cursor.seen_at AS "lastSeenAt",
    oldest.time AS "oldestUnacknowledgedAt"
  FROM gateway.session_cursor AS cursor
  LEFT JOIN LATERAL (
    (
      SELECT seq, time FROM gateway.mailbox_entry AS entry
      WHERE entry.principal = cursor.principal AND entry.seq > cursor.acknowledged
        AND (entry.expires_at IS NULL OR entry.expires_at > $2)
        AND entry.except_session IS DISTINCT FROM cursor.session
      ORDER BY seq LIMIT 1
    ) UNION ALL (
      SELECT seq, time FROM gateway.mailbox_chat_entry AS entry
      WHERE entry.principal = cursor.principal AND entry.seq > cursor.acknowledged
        AND entry.except_session IS DISTINCT FROM cursor.session
        AND EXISTS (
          SELECT FROM gateway.chat_message AS message
          WHERE message.conversation_id = entry.conversation_id
            AND message.conversation_seq = entry.conversation_seq AND message.recalled_at IS NULL
        )
      ORDER BY seq LIMIT 1
    )
    ORDER BY seq LIMIT 1
  ) AS oldest ON true
  WHERE cursor.principal = ANY($1::text[])
  ORDER BY cursor.seen_at DESC
  LIMIT $3`;

/** Raw SQL: aggregates of each user's waiting notifications. */
export const FIND_PUSH_QUEUES = `
  SELECT user_id AS "userId", count(*)::int AS waiting, max(attempts)::int AS attempts, min(due_at) AS "nextAttemptAt"
  FROM gateway.push_request
  WHERE user_id = ANY($1::text[])
  GROUP BY user_id`;

/** Raw SQL: aggregates of two tables of the event bus, of which each is read up to a limit. */
export const FIND_BLOCKED = `
  SELECT handler, count(*) FILTER (WHERE NOT dead)::int AS retries, count(*) FILTER (WHERE dead)::int AS "deadLetters"
  FROM (
    (SELECT handler, false AS dead FROM gateway.parked WHERE key = ANY($1::text[]) LIMIT 1000)
    UNION ALL
    (SELECT handler, true AS dead FROM gateway.dead_letter WHERE key = ANY($1::text[]) LIMIT 1000)
  ) AS unprocessed
  GROUP BY handler
  ORDER BY handler
  LIMIT 100`;
