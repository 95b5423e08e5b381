import { DATABASE_NOW_MS_SQL } from '@family-watch/platform/database/database-clock';

/** Raw: ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_RULES_IF_NEWER = `
  INSERT INTO gateway.child_rules AS existing (cid, version, rules, changed_at)
  VALUES ($1, $2, $3::json, ${DATABASE_NOW_MS_SQL})
  ON CONFLICT (cid) DO UPDATE
    SET version = excluded.version, rules = excluded.rules, changed_at = excluded.changed_at
    WHERE existing.version < excluded.version
  RETURNING version`;
