import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

/** Raw SQL: ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_SNAPSHOT_IF_NEWER = `
  INSERT INTO gateway.family AS existing (family_id, version, snapshot, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;

/**
 * Raw SQL: prepared, because most event handlers read the family; through TypeORM the read takes twice the CPU time.
 */
export const FIND_SNAPSHOT = prepared('SELECT snapshot FROM gateway.family WHERE family_id = $1');

/** Raw SQL: the join returns a family once per principal, for each of many connections at a time. */
export const FIND_FAMILIES_BY_PRINCIPALS = `
  SELECT principal, snapshot FROM gateway.family JOIN gateway.family_principal USING (family_id)
  WHERE principal = ANY($1::text[])`;

/** Raw SQL: ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_RULES_IF_NEWER = `
  INSERT INTO gateway.child_rules AS existing (cid, version, rules, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (cid) DO UPDATE
    SET version = excluded.version, rules = excluded.rules, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;

/**
 * Raw SQL: prepared, because it is frequent. Takes a shared lock per family until the end of the transaction:
 * transactions that store locations run concurrently, but wait for {@link LOCK_FAMILY_LOCATIONS}.
 */
export const LOCK_FAMILY_LOCATIONS_FOR_SHARE = prepared(`
  SELECT pg_advisory_xact_lock_shared(lock) FROM (
    SELECT DISTINCT hashtextextended('positions:' || family_id, 0) AS lock FROM unnest($1::text[]) AS incoming (family_id)
    ORDER BY lock OFFSET 0) AS ordered`);

/** Raw SQL: a function call without a table. */
export const LOCK_FAMILY_LOCATIONS = `SELECT pg_advisory_xact_lock(hashtextextended('positions:' || $1, 0))`;

/** Raw SQL: prepared, because it is frequent; one statement for many rows, with a condition for the update. */
export const STORE_LOCATIONS = prepared(`
  INSERT INTO gateway.child_position AS existing (cid, family_id, did, message_id, time, location)
  SELECT incoming.cid, incoming.family_id, incoming.did, incoming.message_id, incoming.time, incoming.location
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::bigint[], $6::json[])
    AS incoming (cid, family_id, did, message_id, time, location)
  WHERE NOT EXISTS (
    SELECT FROM gateway.family
    WHERE family.family_id = incoming.family_id AND ((snapshot ->> 'dissolved')::boolean OR NOT EXISTS (
      SELECT FROM json_array_elements(snapshot -> 'children') AS child WHERE child ->> 'cid' = incoming.cid
    ))
  )
  ON CONFLICT (cid) DO UPDATE
    SET family_id = excluded.family_id, did = excluded.did, message_id = excluded.message_id,
        time = excluded.time, location = excluded.location
    WHERE (existing.location ->> 'positionTime')::bigint <= (excluded.location ->> 'positionTime')::bigint
       OR (existing.location ->> 'positionTime')::bigint = (
         SELECT corrects FROM unnest($1::text[], $7::bigint[]) AS incoming (cid, corrects) WHERE incoming.cid = existing.cid)
  RETURNING cid`);

/** Raw SQL: compares a value inside a JSON column. */
export const WITHDRAW_LOCATION = `
  DELETE FROM gateway.child_position
  WHERE family_id = $1 AND cid = $2 AND (location ->> 'positionTime')::bigint = $3`;
