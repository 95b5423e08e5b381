import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** Raw SQL: a prepared statement, because every scan report and every request to locate a device reads the consent. */
export const FIND_CONSENT_GRANTED = prepared(
  'select granted and text_version >= $3 as granted from userctx.consent where user_id = $1 and purpose = $2',
);

/**
 * Raw SQL: a prepared statement, like {@link FIND_CONSENT_GRANTED}. The lock delays a withdrawal until the transaction
 * ends.
 */
export const FIND_CONSENT_GRANTED_FOR_SHARE = prepared(`${FIND_CONSENT_GRANTED.sql} for share`);

/** Raw SQL: a prepared statement, like {@link FIND_CONSENT_GRANTED}, that joins three tables. */
export const FIND_CONSENT_GRANTED_BY_WATCH_OWNER =
  prepared(`select family.owner_user_id as "userId", coalesce(consent.granted and consent.text_version >= $3, false) as granted
  from userctx.family_child link
  join userctx.family family on family.family_id = link.family_id
  left join userctx.consent consent on consent.user_id = family.owner_user_id and consent.purpose = $2
  where link.did = $1`);

/** Raw SQL: one statement starts a new window or counts the attempt in the current window, and returns the count. */
export const COUNT_ATTEMPT = `
  insert into userctx.attempt_counter as counter (key, attempts, window_ends_at) values ($1, 1, $2::bigint + $3)
  on conflict (key) do update set
    attempts = case when counter.window_ends_at <= $2 then 1 else counter.attempts + 1 end,
    window_ends_at = case when counter.window_ends_at <= $2 then $2::bigint + $3 else counter.window_ends_at end
  returning attempts, window_ends_at as "windowEndsAt"`;

/** Raw SQL: locks the rows in one order, so that two refunds of the same counters do not wait for each other. */
export const REFUND_ATTEMPTS = `
  with refunded as (
    select key from userctx.attempt_counter where key = any($1) and attempts > 0 order by key for update)
  update userctx.attempt_counter counter set attempts = counter.attempts - 1
    from refunded where counter.key = refunded.key`;

/** Raw SQL: an advisory lock, because the rows of the forms of a phone number have no unique key in common. */
export const LOCK_CHALLENGES = `select pg_advisory_xact_lock(hashtextextended('sms_challenge ' || $1, 0))`;

/** Raw SQL: one statement counts the guess and returns the challenge. */
export const INCREMENT_CHALLENGE_TRIES = `
  update userctx.sms_challenge set tries = tries + 1
   where challenge_id = $1 and scene = $2 and tries < $3 and expires_at > $4 and consumed_at is null
  returning area_code as "areaCode", phone_number as "phoneNumber", digest`;

/** Raw SQL: locks the rows of two tables without a relation. */
export const LOCK_TOKEN_WITH_SESSION = `
  select token.token_hash as "tokenHash", token.session_id as "sessionId", token.issued_at as "issuedAt",
         token.used_at as "usedAt", token.sealed_successor as "sealedSuccessor",
         session.user_id as "userId", session.ended_at as "endedAt", session.expires_at as "expiresAt"
    from userctx.refresh_token token join userctx.session using (session_id)
   where token.token_hash = $1 for update of token, session`;

/** Raw SQL: a DELETE with a limit. With SKIP LOCKED, concurrent replicas delete different sessions. */
export const PRUNE_SESSIONS = `
  delete from userctx.session where session_id in (
    select session_id from userctx.session where least(ended_at, expires_at) < $1
     limit $2 for update skip locked)
  returning 1`;

/** Raw SQL: a DELETE with a limit. With SKIP LOCKED, concurrent replicas delete different tokens. */
export const PRUNE_REFRESH_TOKENS = `
  delete from userctx.refresh_token where token_hash in (
    select token_hash from userctx.refresh_token where used_at < $1 limit $2 for update skip locked)
  returning 1`;
