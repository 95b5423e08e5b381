import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';

/** Raw: ON CONFLICT DO UPDATE with a condition. */
export const ADVANCE_VERSION = `
  INSERT INTO gateway.conversation_source AS existing (source, version) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET version = excluded.version WHERE existing.version < excluded.version
  RETURNING version`;

/** Raw: set-based, and the update increments a column. */
export const UPSERT_CONVERSATIONS = `
  INSERT INTO gateway.conversation AS existing (conversation_id, type, closed)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS change (conversation_id, type, closed)
  ORDER BY conversation_id
  ON CONFLICT (conversation_id) DO UPDATE SET closed = excluded.closed, revision = existing.revision + 1`;

/** Raw: set-based, and the marks depend on the conversation. */
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

/** Raw: the rows are selected by a subquery. */
export const LOCK_CHILD_CONVERSATIONS = `
  SELECT FROM gateway.conversation
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
  ORDER BY conversation_id FOR NO KEY UPDATE`;

/** Raw: joins three tables. */
export const FIND_ERASED_MESSAGES = `
  SELECT id FROM gateway.chat_message JOIN gateway.conversation USING (conversation_id)
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
    AND (type <> 'FAMILY' OR member = $1)`;

/**
 * Raw: UNION of joins. The mailboxes of current and former members, and of every watch that ever sent a message, may
 * contain the erased messages. Copies in any other mailbox expire after 30 days.
 */
export const FIND_ERASED_RECIPIENTS = `
  SELECT coalesce('watch:' || other.did, other.member) AS principal
  FROM gateway.conversation_member AS child JOIN gateway.conversation_member AS other USING (conversation_id)
  WHERE child.member = $1 AND (other.cid IS NULL OR other.did IS NOT NULL)
  UNION
  SELECT sender_type || ':' || sender_id FROM gateway.chat_message WHERE id = ANY($2::uuid[])`;

/** Raw: a join of two tables without a relation. */
export const FIND_OWN_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId" FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
  WHERE member = $1 AND type <> 'FAMILY'`;

/** Raw: the rows are selected by a subquery. */
export const INCREMENT_REVISIONS = `
  UPDATE gateway.conversation SET revision = revision + 1
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)`;

/** Raw: set-based. */
export const INSERT_CONTENTS = `
  INSERT INTO gateway.cloud_content (content_id, family_id) SELECT unnest($2::text[]), $1
  ON CONFLICT (content_id) DO NOTHING`;

/** Raw: an aggregate that mcdisk computes with the same expression. */
export const FIND_CONTENT_DIGESTS = `
  SELECT family_id AS "cloudId", count(*)::int AS count, ${contentDigestSql('content_id')} AS digest
  FROM gateway.cloud_content WHERE family_id = ANY($1::text[]) GROUP BY family_id`;

/** Raw: a cloud may have a million files, for which TypeORM would create entities. */
export const FIND_CONTENT_IDS = 'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1';
