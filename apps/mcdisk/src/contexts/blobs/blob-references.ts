/**
 * SQL: does anything refer to this blob? A content that is not purged, an upload that is still open, or a rendition
 * whose source still has its bytes.
 *
 * The one place that says what keeps bytes. It has to be asked in a statement of its own, after the blob's row was
 * locked FOR UPDATE: a statement sees what was committed before it began, and with the row locked nobody can refer to
 * the blob meanwhile (the foreign keys take a lock on it that conflicts).
 * @param blob name of the row in the statement, with `cloud_id` and `blob_key`
 */
export function isReferencedSql(blob: string): string {
  return `(
    EXISTS (SELECT FROM mcdisk.content c WHERE c.cloud_id = ${blob}.cloud_id AND c.blob_key = ${blob}.blob_key
               AND c.state <> 'PURGED')
    OR EXISTS (SELECT FROM mcdisk.upload u WHERE u.blob_key = ${blob}.blob_key AND u.state IN ('PENDING', 'RECEIVING'))
    OR EXISTS (SELECT FROM mcdisk.rendition r JOIN mcdisk.blob source ON source.blob_key = r.source_key
                WHERE r.blob_key = ${blob}.blob_key AND source.state IN ('STAGED', 'LIVE', 'CONDEMNED')))`;
}
