/** SQL condition that selects the folder `$2` of the cloud `$1` and the folder's descendants, in any state. */
const SUBTREE_SQL = `cloud_id = $1 AND chain @> ARRAY[$2::uuid]`;

/** Raw SQL: calls a function without a table. */
export const LOCK_TREE = `SELECT pg_advisory_xact_lock(hashtextextended('mcdisk.catalog:' || $1::text, 0))`;

/** Raw SQL: the new values depend on the row. */
export const MOVE_SUBTREE = `
  UPDATE mcdisk.catalog
     SET chain = $3::uuid[] || chain[array_position(chain, $2::uuid):],
         parent_catalog_id = CASE catalog_id WHEN $2::uuid THEN $4::uuid ELSE parent_catalog_id END,
         state = CASE catalog_id WHEN $2::uuid THEN 'ACTIVE' ELSE state END,
         updated_at = CASE catalog_id WHEN $2::uuid THEN $5 ELSE updated_at END
   WHERE ${SUBTREE_SQL}`;

/** Raw SQL: excludes folders that contain active contents, directly or in descendants. */
export const DELETE_EMPTY_FOLDERS = `
  WITH kept AS (
    SELECT DISTINCT unnest(f.chain) AS catalog_id
      FROM mcdisk.catalog f
     WHERE f.${SUBTREE_SQL} AND f.state = 'ACTIVE'
       AND EXISTS (SELECT FROM mcdisk.content c
                    WHERE c.cloud_id = $1 AND c.parent_catalog_id = f.catalog_id AND c.state = 'ACTIVE'))
  UPDATE mcdisk.catalog SET state = 'DELETED', updated_at = $3
   WHERE ${SUBTREE_SQL} AND state = 'ACTIVE' AND catalog_id NOT IN (SELECT catalog_id FROM kept)
  RETURNING catalog_id`;

/** Raw SQL: claims rows with SKIP LOCKED in a subquery. */
export const DELETE_UNREFERENCED_FOLDERS = `
  DELETE FROM mcdisk.catalog WHERE catalog_id IN (
    SELECT f.catalog_id FROM mcdisk.catalog f
     WHERE f.state = 'DELETED' AND f.updated_at < $1
       AND NOT EXISTS (SELECT FROM mcdisk.catalog child WHERE child.parent_catalog_id = f.catalog_id)
       AND NOT EXISTS (SELECT FROM mcdisk.content c WHERE c.parent_catalog_id = f.catalog_id)
       AND NOT EXISTS (SELECT FROM mcdisk.upload u WHERE u.parent_catalog_id = f.catalog_id)
     ORDER BY f.catalog_id LIMIT $2 FOR UPDATE OF f SKIP LOCKED)
  RETURNING catalog_id`;
