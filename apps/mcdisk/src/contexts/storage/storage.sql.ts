/**
 * Returns the SQL condition that a blob is referenced. A blob is referenced by contents that are not purged, by open
 * uploads, and as the rendition of a source whose bytes are not deleted.
 *
 * `isReferencedSql` is the only definition of what references a blob. The condition must be evaluated in a separate
 * statement after the blob's row was locked FOR UPDATE. A statement sees what was committed before the statement began.
 * While the row is locked, no reference can be created, because the check of a foreign key needs a conflicting lock on
 * this row.
 * @param blob alias of the blob's row in the statement, with `cloud_id` and `blob_key`
 */
export function isReferencedSql(blob: string): string {
  return `(
    EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = ${blob}.cloud_id AND c.blob_key = ${blob}.blob_key
               AND c.state <> 'PURGED')
    OR EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = ${blob}.blob_key AND u.state IN ('PENDING', 'RECEIVING'))
    OR EXISTS (SELECT FROM mcdisk.rendition r JOIN mcdisk.blob source ON source.blob_key = r.source_key
                WHERE r.blob_key = ${blob}.blob_key AND source.state IN ('STAGED', 'LIVE', 'CONDEMNED')))`;
}

/** Raw because of ON CONFLICT DO UPDATE with a condition. */
export const INCREMENT_GENERATION = `
  INSERT INTO mcdisk.store_mark AS mark (store_id, generation, marked_at) VALUES ($1, 1, $3)
  ON CONFLICT (id) DO UPDATE SET generation = mark.generation + 1, marked_at = $3 WHERE mark.marked_at <= $2
  RETURNING store_id AS "storeId", generation`;
