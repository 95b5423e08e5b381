import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

/** Raw: ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_SNAPSHOT_IF_NEWER = `
  INSERT INTO gateway.family AS existing (family_id, version, snapshot, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;

/** Raw: prepared, because most event handlers read the family; through TypeORM the read takes twice the CPU time. */
export const FIND_SNAPSHOT = 'SELECT snapshot FROM gateway.family WHERE family_id = $1';

/** Raw: the join returns a family once per principal, for each of many connections at a time. */
export const FIND_BY_PRINCIPALS = `
  SELECT principal, snapshot FROM gateway.family JOIN gateway.family_principal USING (family_id)
  WHERE principal = ANY($1::text[])`;
