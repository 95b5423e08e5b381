import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { MAX_CONTENTS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';

/** Raw SQL: a join. Prepared, because each request reads the family of its cloud. */
export const FIND_SNAPSHOT_WITH_CLOUD = prepared(`
  SELECT p.snapshot FROM mcdisk.family_projection p JOIN mcdisk.family_cloud c ON c.cloud_id = p.family_id
   WHERE p.family_id = $1`);

/** Raw SQL: ON CONFLICT DO UPDATE with a condition. */
export const UPSERT_FAMILY_IF_NEWER = `
  INSERT INTO mcdisk.family_projection AS existing (family_id, version, snapshot, principals)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (family_id) DO UPDATE
    SET version = excluded.version, snapshot = excluded.snapshot, principals = excluded.principals
    WHERE existing.version < excluded.version
  RETURNING version`;

/**
 * Returns the SQL of the decremented count of contents. The count never becomes negative: during a rolling update,
 * instances of the old version add contents without counting them. Fsck corrects the count.
 * @param parameter number of the statement parameter by which the count decreases
 */
function decrementedCountSql(parameter: number): string {
  return `greatest(content_count - $${parameter}::integer, 0)`;
}

/** Raw SQL: the new values depend on the row. */
export const RELEASE_RESERVATION = `
  UPDATE mcdisk.family_cloud SET reserved_size = reserved_size - $2, content_count = ${decrementedCountSql(3)}
   WHERE cloud_id = $1`;

/** Raw SQL: the new values depend on the row. Prepared, because each deletion of contents executes it. */
export const MOVE_USAGE_TO_RECYCLE_BIN = prepared(`
  UPDATE mcdisk.family_cloud
     SET used_size = used_size - $2, recycle_size = recycle_size + $2, updated_at = $3
   WHERE cloud_id = $1`);

/** Raw SQL: the new values depend on the row. Prepared, because each batch of purged contents executes it. */
export const SUBTRACT_PURGED_USAGE = prepared(`
  UPDATE mcdisk.family_cloud
     SET recycle_size = recycle_size - $2, content_count = ${decrementedCountSql(4)}, updated_at = $3
   WHERE cloud_id = $1`);

/** Raw SQL: the new values and the limits depend on the row. Prepared, because each upload session executes it. */
export const INCREASE_USAGE = prepared(`
  UPDATE mcdisk.family_cloud
     SET reserved_size = reserved_size + $2, used_size = used_size + $3, content_count = content_count + $4,
         updated_at = greatest(updated_at, $5)
   WHERE cloud_id = $1 AND used_size + reserved_size + recycle_size + $2 + $3 <= disk_size
     AND content_count + $4 <= ${MAX_CONTENTS_PER_CLOUD}
   RETURNING cloud_id`);
