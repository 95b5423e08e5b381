import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { UNREAD_WINDOW_MESSAGES } from '@family-watch/domain/messages/contracts/chat';
import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';

/** Raw SQL: ON CONFLICT DO UPDATE with a condition. */
export const ADVANCE_VERSION = `
  INSERT INTO gateway.conversation_source AS existing (source, version) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET version = excluded.version WHERE existing.version < excluded.version
  RETURNING version`;

/** Raw SQL: one statement for many rows, and the update increments a column. */
export const UPSERT_CONVERSATIONS = `
  INSERT INTO gateway.conversation AS existing (conversation_id, type, closed)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS change (conversation_id, type, closed)
  ORDER BY conversation_id
  ON CONFLICT (conversation_id) DO UPDATE SET closed = excluded.closed, revision = existing.revision + 1`;

/** Raw SQL: one statement for many rows, and the marks depend on the conversation. */
export const UPSERT_MEMBERS = `
  INSERT INTO gateway.conversation_member AS existing (
    conversation_id, member, family_id, cid, did, active, joined_at_seq, delivered_seq, read_seq
  )
  SELECT
    conversation_id, member, family_id, written.cid, written.did, active,
    joined_at_seq, joined_at_seq, joined_at_seq
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[])
    AS written (conversation_id, member, family_id, cid, did, active)
  JOIN gateway.conversation USING (conversation_id)
  CROSS JOIN LATERAL (SELECT CASE WHEN type = 'FAMILY' AND written.cid IS NULL THEN head ELSE 0 END) AS start (joined_at_seq)
  ORDER BY conversation_id, member
  ON CONFLICT (conversation_id, member) DO UPDATE SET
    family_id = excluded.family_id, did = excluded.did, active = excluded.active,
    joined_at_seq = CASE
      WHEN excluded.active AND NOT existing.active THEN excluded.joined_at_seq ELSE existing.joined_at_seq
    END,
    delivered_seq = greatest(existing.delivered_seq, excluded.delivered_seq),
    read_seq = greatest(existing.read_seq, excluded.read_seq)`;

/** Raw SQL: the rows are selected by a subquery. */
export const LOCK_MEMBER_CONVERSATIONS = `
  SELECT FROM gateway.conversation
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
  ORDER BY conversation_id FOR NO KEY UPDATE`;

/** Raw SQL: joins three tables. */
export const FIND_ERASED_MESSAGES = `
  SELECT id FROM gateway.chat_message JOIN gateway.conversation USING (conversation_id)
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
    AND (type <> 'FAMILY' OR member = $1)
  LIMIT $2`;

/**
 * Raw SQL: UNION of joins. The mailboxes of current and former members, and of every watch that ever sent a message,
 * may contain the erased messages. Copies in any other mailbox expire after 30 days.
 */
export const FIND_ERASED_RECIPIENTS = `
  SELECT coalesce('watch:' || other.did, other.member) AS principal
  FROM gateway.conversation_member AS child JOIN gateway.conversation_member AS other USING (conversation_id)
  WHERE child.member = $1 AND (other.cid IS NULL OR other.did IS NOT NULL)
  UNION
  SELECT sender_type || ':' || sender_id FROM gateway.chat_message WHERE id = ANY($2::uuid[])`;

/** Raw SQL: a join of two tables without a relation. */
export const FIND_OWN_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId" FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
  WHERE member = $1 AND type <> 'FAMILY'`;

/** Raw SQL: the rows are selected by a subquery. */
export const INCREMENT_REVISIONS = `
  UPDATE gateway.conversation SET revision = revision + 1
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)`;

/** Raw SQL: one statement for many rows. */
export const INSERT_CONTENTS = `
  INSERT INTO gateway.cloud_content (content_id, family_id) SELECT unnest($2::text[]), $1
  ON CONFLICT (content_id) DO NOTHING`;

/** Raw SQL: an aggregate that mcdisk computes with the same expression. */
export const FIND_CONTENT_DIGESTS = `
  SELECT family_id AS "cloudId", count(*)::int AS count, ${contentDigestSql('content_id')} AS digest
  FROM gateway.cloud_content WHERE family_id = ANY($1::text[]) GROUP BY family_id`;

/** Raw SQL: a cloud may have a million files, for which TypeORM would create entities. */
export const FIND_CONTENT_IDS = 'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1';

/** Raw SQL: runs with every batch of messages. */
export const LOCK_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId", head, revision
  FROM gateway.conversation WHERE conversation_id = ANY($1::uuid[])
  ORDER BY conversation_id FOR NO KEY UPDATE`;

/** Raw SQL: a join, which runs with many batches of messages. */
export const FIND_ACTIVE_MEMBERS = `
  SELECT conversation_id AS "conversationId", type, revision, member, family_id AS "familyId", cid, did
  FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
  WHERE conversation_id = ANY($1::uuid[]) AND active`;

/** Raw SQL: prepared, because it runs with batches of messages. */
export const FIND_STORED_MESSAGES = prepared(`
  SELECT
    id, conversation_id AS "conversationId", conversation_seq AS "conversationSeq", kind, time,
    recalled_at IS NOT NULL AS recalled, payload
  FROM gateway.chat_message WHERE id = ANY($1::uuid[])`);

/** Raw SQL: prepared; one statement for many rows; the group commit of chat messages. */
export const STORE_MESSAGES = prepared(`
  WITH incoming AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::json[]
    ) AS incoming (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
  ), stored AS (
    INSERT INTO gateway.chat_message (
      conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload
    )
    SELECT conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload FROM incoming
  )
  UPDATE gateway.conversation AS conversation SET head = newest.head
  FROM (SELECT conversation_id, max(conversation_seq) AS head FROM incoming GROUP BY conversation_id) AS newest
  WHERE conversation.conversation_id = newest.conversation_id`);

const deleteMessagesSql = (condition: string): string => `
  DELETE FROM gateway.chat_message WHERE id IN (
    SELECT id FROM gateway.chat_message WHERE ${condition} LIMIT $2
  ) RETURNING 1`;

/** Raw SQL: a limited DELETE. */
export const DELETE_MESSAGES = deleteMessagesSql('time < $1');

/** Raw SQL: a limited DELETE. */
export const DELETE_VOICE_MESSAGES = deleteMessagesSql("time < $1 AND kind = 'ChatVoiceMessage'");

const MESSAGE_COLUMNS = `
  message.id, message.conversation_seq AS "conversationSeq", message.kind, message.time,
  json_build_object('type', message.sender_type, 'id', message.sender_id) AS "from",
  CASE WHEN message.member LIKE 'child:%' THEN substr(message.member, 7) END AS cid,
  CASE WHEN message.recalled_at IS NULL THEN message.payload END AS payload`;

/** Raw SQL: computed columns. Prepared, because each page of a history executes it. */
export const FIND_MESSAGES_BEFORE = prepared(`
  SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
  WHERE conversation_id = $1 AND conversation_seq > $2 AND conversation_seq < $3
  ORDER BY conversation_seq DESC LIMIT $4`);

/** Raw SQL: lateral joins with aggregates. Prepared, because planning takes as long as the statement. */
export const FIND_CONVERSATIONS = prepared(`
  SELECT conversation_id AS "conversationId", type, own.read_seq AS "readSeq", unread.count AS unread, others.members,
    last.message AS "lastMessage"
  FROM gateway.conversation_member AS own
  JOIN gateway.conversation USING (conversation_id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int FROM gateway.chat_message AS message
    WHERE message.conversation_id = own.conversation_id
      AND message.conversation_seq > greatest(own.read_seq, own.joined_at_seq, head - ${UNREAD_WINDOW_MESSAGES})
      AND message.member <> own.member AND message.recalled_at IS NULL
  ) AS unread
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
      'userId', CASE WHEN other.cid IS NULL THEN substr(other.member, 6) END, 'cid', other.cid, 'did', other.did,
      'deliveredSeq', other.delivered_seq, 'readSeq', other.read_seq
    ) ORDER BY other.member) AS members
    FROM gateway.conversation_member AS other
    WHERE other.conversation_id = own.conversation_id AND other.active
  ) AS others
  LEFT JOIN LATERAL (
    SELECT row_to_json(newest) AS message FROM (
      SELECT ${MESSAGE_COLUMNS} FROM gateway.chat_message AS message
      WHERE message.conversation_id = own.conversation_id AND message.conversation_seq > own.joined_at_seq
      ORDER BY message.conversation_seq DESC LIMIT 1
    ) AS newest
  ) AS last ON true
  WHERE own.member = $1 AND own.active AND conversation_id > $2::uuid
  ORDER BY conversation_id LIMIT $3`);

/** Raw SQL: an aggregate over a join. */
export const FIND_PENDING_RECEIPTS = `
  SELECT principal, max(acknowledged) AS seq
  FROM gateway.session_cursor LEFT JOIN gateway.receipt_cursor USING (principal)
  WHERE seen_at >= $1 AND acknowledged > coalesce(delivered, 0)
  GROUP BY principal LIMIT $2`;

/** Raw SQL: one statement for many rows, in the order of the principals, so that transactions cannot deadlock. */
export const INSERT_RECEIPT_CURSORS = `
  INSERT INTO gateway.receipt_cursor (principal, delivered)
  SELECT key, 0 FROM unnest($1::text[]) AS key ORDER BY key ON CONFLICT DO NOTHING`;

/** Raw SQL: runs with every batch of acknowledgements. */
export const LOCK_RECEIPT_CURSORS =
  'SELECT principal, delivered FROM gateway.receipt_cursor WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE';

/** Raw SQL: one statement for many rows, and never moves a cursor back. */
export const ADVANCE_RECEIPT_CURSORS = `
  UPDATE gateway.receipt_cursor AS cursor SET delivered = greatest(cursor.delivered, requested.seq)
  FROM unnest($1::text[], $2::bigint[]) AS requested (principal, seq) WHERE cursor.principal = requested.principal`;

/**
 * Raw SQL: lateral joins. A chat entry that excludes a session is the sender's own message. Entries that an older build
 * has stored contain the sequence number in their payload. OFFSET 0 makes PostgreSQL read each range by an index scan on
 * the mailbox's key, even if the planner statistics are outdated because the table has just grown.
 */
export const FIND_UNRECORDED_PROGRESS = prepared(`
  SELECT progress.conversation_id AS "conversationId", own.member, progress.seq AS "conversationSeq"
  FROM (
    SELECT requested.principal, chat.conversation_id, max(chat.conversation_seq) AS seq
    FROM unnest($1::text[], $2::bigint[]) AS requested (principal, seq)
    JOIN gateway.receipt_cursor AS cursor USING (principal)
    CROSS JOIN LATERAL (
      SELECT conversation_id, conversation_seq FROM (
        SELECT entry.conversation_id, entry.conversation_seq FROM gateway.mailbox_chat_entry AS entry
        WHERE entry.principal = requested.principal AND entry.seq > cursor.delivered AND entry.seq <= requested.seq
          AND entry.except_session IS NULL
        OFFSET 0
      ) AS stored
      UNION ALL
      SELECT (payload->>'conversationId')::uuid, (payload->>'conversationSeq')::bigint FROM (
        SELECT payload FROM gateway.mailbox_entry AS entry
        WHERE entry.principal = requested.principal AND entry.seq > cursor.delivered AND entry.seq <= requested.seq
          AND entry.kind = ANY($3::text[]) AND entry.sender_type || ':' || entry.sender_id <> requested.principal
        OFFSET 0
      ) AS stored
    ) AS chat
    GROUP BY requested.principal, chat.conversation_id
  ) AS progress
  JOIN gateway.conversation_member AS own
    ON own.conversation_id = progress.conversation_id AND own.active
    AND (own.member = progress.principal OR 'watch:' || own.did = progress.principal)`);

const advanceSql = (column: string, alsoSet: string) => `
  WITH requested AS (
    SELECT conversation_id, member, max(seq) AS seq
    FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS requested (conversation_id, member, seq)
    GROUP BY conversation_id, member
  ), previous AS (
    SELECT conversation_id, member, own.${column} AS seq
    FROM gateway.conversation_member AS own JOIN requested USING (conversation_id, member)
    WHERE own.active
    ORDER BY conversation_id, member FOR UPDATE OF own
  )
  UPDATE gateway.conversation_member AS mark SET ${column} = requested.seq${alsoSet}
  FROM requested JOIN previous USING (conversation_id, member)
  WHERE mark.conversation_id = requested.conversation_id AND mark.member = requested.member AND mark.${column} < requested.seq
  RETURNING mark.conversation_id AS "conversationId", mark.member, previous.seq AS "from", requested.seq AS "to"`;

/** Raw SQL: one statement for many rows, and returns the previous values. */
export const ADVANCE_DELIVERED = prepared(advanceSql('delivered_seq', ''));

/** Raw SQL: like {@link ADVANCE_DELIVERED}. */
export const ADVANCE_READ = prepared(
  advanceSql('read_seq', ', delivered_seq = greatest(mark.delivered_seq, requested.seq)'),
);

/** Raw SQL: a lateral join. */
export const FIND_NEWEST_MARKED_MESSAGES = prepared(`
  SELECT advance.conversation_id AS "conversationId", advance.reader, message.member AS sender,
    message.id AS "messageId", message.conversation_seq AS "conversationSeq"
  FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS advance (conversation_id, reader, after, through)
  JOIN gateway.conversation_member AS other
    ON other.conversation_id = advance.conversation_id AND other.member <> advance.reader AND other.active
  CROSS JOIN LATERAL (
    SELECT member, id, conversation_seq FROM gateway.chat_message AS chat
    WHERE chat.conversation_id = advance.conversation_id AND chat.conversation_seq > advance.after
      AND chat.conversation_seq <= advance.through AND chat.member = other.member
    ORDER BY chat.conversation_seq DESC LIMIT 1
  ) AS message`);
