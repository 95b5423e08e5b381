/** Raw SQL: a CTE that claims rows with SKIP LOCKED, updates and returns them. */
export const CLAIM_UNCHECKED = `
  WITH due AS (
    SELECT call_id FROM gateway.video_call WHERE due_at IS NOT NULL AND checked_at <= $1
    ORDER BY checked_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE gateway.video_call AS call SET checked_at = $2
    FROM due WHERE call.call_id = due.call_id
    RETURNING call.*
  )
  SELECT
    call_id AS "callId", family_id AS "familyId", cid, did, user_id AS "userId", direction,
    caller_session AS "callerSession", accepted_session AS "acceptedSession", provider, state,
    created_at AS "createdAt", accepted_at AS "acceptedAt", ended_at AS "endedAt", due_at AS "dueAt",
    absent_since AS "absentSince", revision, signals AS "signalCount",
    (SELECT snapshot FROM gateway.family WHERE family.family_id = claimed.family_id) AS family
  FROM claimed ORDER BY call_id`;

/** Raw SQL: a limited DELETE with SKIP LOCKED. */
export const PRUNE_CALLS = `
  DELETE FROM gateway.video_call WHERE call_id IN (
    SELECT call_id FROM gateway.video_call WHERE created_at < $1 AND due_at IS NULL AND media_end_due_at IS NULL
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING call_id`;

/**
 * Raw SQL: a limited DELETE with SKIP LOCKED. Sequence numbers of a mailbox may have gaps, so no other row has to
 * change.
 */
export const DELETE_EXPIRED_SIGNALS = `
  DELETE FROM gateway.mailbox_entry WHERE (principal, seq) IN (
    SELECT principal, seq FROM gateway.mailbox_entry
    WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage')
      AND (payload -> 'signal') IS NOT NULL AND expires_at <= $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING seq`;
