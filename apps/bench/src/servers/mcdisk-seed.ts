import type { BenchDatabase } from './bench-database.js';

/** Contents to insert into the cloud of one family. */
export interface SeededCloud {
  cloudID: string;
  userId: string;
  count: number;
  state: 'ACTIVE' | 'RECYCLED';
}

export const CONTENT_BYTES = 100_000;
const RECYCLE_BIN_RETENTION_MS = 30 * 86_400_000;

/**
 * Inserts contents with ids in mcdisk's format, each with its own blob row but without a file in the blob store.
 * Updates the used quota.
 */
export async function seedContents(database: BenchDatabase, clouds: readonly SeededCloud[]): Promise<void> {
  for (const { cloudID, userId, count, state } of clouds) {
    const now = Date.now();
    await database.query(
      `WITH generated AS (
         SELECT (left(encode(sha256($1::text::bytea), 'hex'), 8) || substr(gen_random_uuid()::text, 9))::uuid AS content_id,
                 gen_random_uuid() AS blob_key, n,
                encode(sha256(($1 || n)::bytea), 'hex') AS digest
           FROM generate_series(1, $2::int) AS n),
       blobs AS (
         INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
         SELECT blob_key, $1, 'LIVE', $4, ${CONTENT_BYTES}, digest FROM generated)
       INSERT INTO mcdisk.content (content_id, cloud_id, blob_key, name, size, digest, type, media_type, uploader, state,
                                   created_at, updated_at, recycled_at, purge_at)
       SELECT content_id, $1, blob_key, 'picture ' || n || '.jpg', ${CONTENT_BYTES}, digest, 1, 'image/jpeg', 'user:' || $3, $5,
              $4::bigint - n * 1000, $4::bigint - n * 1000,
              CASE WHEN $5 = 'RECYCLED' THEN $4::bigint - n END,
              CASE WHEN $5 = 'RECYCLED' THEN $4::bigint + ${RECYCLE_BIN_RETENTION_MS} END
         FROM generated`,
      [cloudID, count, userId, now, state],
    );
    const column = state === 'ACTIVE' ? 'used_size' : 'recycle_size';
    await database.query(
      `UPDATE mcdisk.family_cloud
          SET ${column} = ${column} + $2, content_count = content_count + $3, disk_size = 1::bigint << 50
        WHERE cloud_id = $1`,
      [cloudID, count * CONTENT_BYTES, count],
    );
  }
  await database.query('ANALYZE');
}
