import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const ENTRY_COLUMNS = `
  entry.seq, entry.id, entry.kind, entry.time, entry.sender_type, entry.sender_id, entry.did, entry.cid,
  entry.family_id, entry.audience, entry.payload, entry.except_session, entry.expires_at`;

/** The watch that sent the message, even if its child has another watch now, or the watch of the child. */
const CHAT_DID = `
  CASE WHEN own.cid IS NULL AND message.sender_type = 'watch' THEN message.sender_id::bigint ELSE child.did END AS did`;

/** The columns of {@link ENTRY_COLUMNS} for a chat message, from {@link CHAT_MESSAGE_JOINS}. */
const CHAT_ENTRY_COLUMNS = `
  entry.seq, message.id, message.kind, message.time, message.sender_type, message.sender_id, ${CHAT_DID}, child.cid,
  own.family_id, CASE conversation.type WHEN 'FAMILY' THEN 'FAMILY_GROUP' ELSE 'CHAT' END AS audience,
  message.payload, entry.except_session, NULL::bigint AS expires_at`;

/**
 * Joins entries with their messages, which a recall or the retention period may have removed, with the recipient as a
 * member, and with the child that the message is about (`subjectChildOf`). The message is a subquery with a limit, so
 * that it is always found by its key. As a join, some plans read the whole conversation for each entry.
 */
const CHAT_MESSAGE_JOINS = `
  CROSS JOIN LATERAL (
    SELECT id, kind, time, member, sender_type, sender_id, payload FROM gateway.chat_message
    WHERE conversation_id = entry.conversation_id AND conversation_seq = entry.conversation_seq AND recalled_at IS NULL
    LIMIT 1
  ) AS message
  JOIN gateway.conversation ON conversation.conversation_id = entry.conversation_id
  JOIN gateway.conversation_member AS own
    ON own.conversation_id = entry.conversation_id
    AND entry.principal = CASE WHEN own.cid IS NULL THEN own.member ELSE 'watch:' || own.did END
  LEFT JOIN LATERAL (
    SELECT member.cid, member.did FROM gateway.conversation_member AS member
    WHERE member.conversation_id = entry.conversation_id AND member.cid IS NOT NULL AND member.member = CASE
      WHEN own.cid IS NOT NULL THEN own.member
      WHEN message.sender_type = 'watch' OR conversation.type <> 'DIRECT' THEN message.member
      ELSE member.member
    END
    LIMIT 1
  ) AS child ON true`;

export const WITHDRAW_MESSAGES = `
  UPDATE gateway.mailbox_entry SET expires_at = 0, payload = '{}'
  WHERE principal = ANY($1::text[]) AND id = ANY($2::uuid[])`;

export const WITHDRAW_VOICE_MESSAGES = `
  UPDATE gateway.mailbox_entry SET expires_at = 0, payload = '{}'
  WHERE (principal, seq) IN (WITH voice AS MATERIALIZED (
    SELECT principal, seq FROM gateway.mailbox_entry
    WHERE kind = 'ChatVoiceMessage' AND expires_at IS DISTINCT FROM 0 AND time < $1 LIMIT $2 FOR UPDATE
  ) SELECT * FROM voice) RETURNING 1`;

export const FIND_HEADS = 'SELECT principal, head FROM gateway.mailbox_head WHERE principal = ANY($1::text[])';

/** A chat message is found by its key, because its mailbox entries have no index of the message. */
export const FIND_MESSAGE = `
  SELECT id, kind, did, cid, payload FROM gateway.mailbox_entry WHERE principal = $1 AND id = $2::uuid
  UNION ALL
  SELECT message.id, message.kind, ${CHAT_DID}, child.cid, message.payload
  FROM (
    SELECT $1 AS principal, conversation_id, conversation_seq FROM gateway.chat_message WHERE id = $2::uuid
  ) AS entry ${CHAT_MESSAGE_JOINS}`;

export const FIND_PRINCIPALS_WITH_MESSAGES_BEFORE = `
  (SELECT principal FROM gateway.mailbox_entry WHERE time < $1 LIMIT $2)
  UNION
  (SELECT principal FROM gateway.mailbox_chat_entry WHERE time < $1 LIMIT $2)`;

/** Inserts in the order of the principals, so that transactions cannot deadlock. */
export const INSERT_MISSING_HEADS = prepared(`
  INSERT INTO gateway.mailbox_head (principal)
  SELECT key FROM unnest($1::text[]) AS key
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = key)
  ORDER BY key
  ON CONFLICT DO NOTHING`);

export const LOCK_HEADS = prepared(`
  SELECT principal, head FROM gateway.mailbox_head
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`);

export const FIND_STORED_ENTRIES = prepared(`
  SELECT stored.principal, stored.id
  FROM unnest($1::text[], $2::uuid[]) AS requested (principal, id)
  JOIN gateway.mailbox_entry AS stored ON stored.principal = requested.principal AND stored.id = requested.id`);

export const FIND_WITH_OTHER_SESSIONS = prepared(`
  SELECT excluded.principal FROM unnest($1::text[], $2::text[]) AS excluded (principal, session)
  WHERE EXISTS (
    SELECT FROM gateway.session_cursor AS cursor
    WHERE cursor.principal = excluded.principal AND cursor.session <> excluded.session
  )`);

export const READ_RANGES = prepared(`
  SELECT range.request, message.*, octet_length(message.payload::text) AS bytes
  FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS range (request, principal, after, through)
  CROSS JOIN LATERAL (
    (
      SELECT ${ENTRY_COLUMNS} FROM gateway.mailbox_entry AS entry
      WHERE entry.principal = range.principal AND entry.seq > range.after AND entry.seq <= range.through
        AND (entry.expires_at IS NULL OR entry.expires_at > $5::bigint)
        AND (entry.replace_key IS NULL OR NOT EXISTS (
          SELECT FROM gateway.mailbox_entry AS newer
          WHERE newer.principal = entry.principal AND newer.replace_key = entry.replace_key AND newer.seq > entry.seq
        ))
      ORDER BY entry.seq LIMIT $6::int
    ) UNION ALL (
      SELECT ${CHAT_ENTRY_COLUMNS} FROM gateway.mailbox_chat_entry AS entry ${CHAT_MESSAGE_JOINS}
      WHERE entry.principal = range.principal AND entry.seq > range.after AND entry.seq <= range.through
      ORDER BY entry.seq LIMIT $6::int
    )
    ORDER BY seq LIMIT $6::int
  ) AS message
  ORDER BY range.request, message.seq`);

export const PRUNE_MAILBOXES = `
  WITH deleted_entry AS (
    DELETE FROM gateway.mailbox_entry WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  ), deleted_chat_entry AS (
    DELETE FROM gateway.mailbox_chat_entry WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  ), deleted AS (
    SELECT * FROM deleted_entry UNION ALL SELECT * FROM deleted_chat_entry
  )
  UPDATE gateway.mailbox_head AS mailbox SET pruned = greatest(mailbox.pruned, least(last.seq, retained.seq - 1))
  FROM (SELECT principal, max(seq) AS seq FROM deleted GROUP BY principal) AS last
  LEFT JOIN LATERAL (
    -- A message with a higher sequence number can be older: a replayed dead letter gets a new sequence number.
    (
      SELECT seq FROM gateway.mailbox_entry AS entry
      WHERE entry.principal = last.principal AND entry.time >= $2::bigint ORDER BY seq LIMIT 1
    ) UNION ALL (
      SELECT seq FROM gateway.mailbox_chat_entry AS entry
      WHERE entry.principal = last.principal AND entry.time >= $2::bigint ORDER BY seq LIMIT 1
    )
    ORDER BY seq LIMIT 1
  ) AS retained ON true
  WHERE mailbox.principal = last.principal`;

/**
 * The group commit of mailbox entries. Stores numbered entries and updates the mailbox heads, which the current
 * transaction must have locked.
 */
export const STORE_ENTRIES = prepared(`
  WITH stored AS (
    INSERT INTO gateway.mailbox_entry (
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session
    )
    SELECT * FROM unnest(
      $1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
      $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::json[], $15::text[]
    )
  ), stored_chat AS (
    INSERT INTO gateway.mailbox_chat_entry (principal, seq, conversation_id, conversation_seq, time, except_session)
    SELECT * FROM unnest($16::text[], $17::bigint[], $18::uuid[], $19::bigint[], $20::bigint[], $21::text[])
  )
  UPDATE gateway.mailbox_head AS mailbox SET head = appended.head
  FROM unnest($22::text[], $23::bigint[]) AS appended (principal, head)
  WHERE mailbox.principal = appended.principal`);

/**
 * Estimates from the statistics of the table and from the connections on about 20 pages, because exact counts would
 * read every mailbox.
 */
export const ESTIMATE_MAILBOXES = `
  WITH sampling AS (
    SELECT least(100, 100 * 20 / greatest(1, pg_relation_size('gateway.connection') / 8192.0)) AS percent
  )
  SELECT
    (
      SELECT sum(greatest(0, reltuples))::bigint FROM pg_class
      WHERE oid IN ('gateway.mailbox_entry'::regclass, 'gateway.mailbox_chat_entry'::regclass)
    ) AS stored,
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
    (
      SELECT seq, time FROM gateway.mailbox_entry AS entry
      WHERE entry.principal = open.principal AND entry.seq > cursor.acknowledged ORDER BY seq LIMIT 1
    ) UNION ALL (
      SELECT seq, time FROM gateway.mailbox_chat_entry AS entry
      WHERE entry.principal = open.principal AND entry.seq > cursor.acknowledged ORDER BY seq LIMIT 1
    )
    ORDER BY seq LIMIT 1
  ) AS oldest ON true`;
