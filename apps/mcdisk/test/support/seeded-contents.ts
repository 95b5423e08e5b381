import { randomUUID } from 'node:crypto';
import { RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { CloudServer, CloudSizes } from './cloud-server.js';

/** Properties that all contents of one `seedContents` call have. */
export interface SeededRow {
  state?: 'ACTIVE' | 'RECYCLED';
  /** The child whose watch added the contents, or null for contents of other members. */
  cid?: string | null;
  /** Size of each content, bytes. */
  size?: number;
  parentFolderId?: string | null;
  /** Number of contents that share one blob. */
  contentsPerBlob?: number;
  /** Time of the deletion, Unix milliseconds. */
  recycledAt?: number;
}

/**
 * Inserts many contents whose blobs have no bytes in the store, and adds their sizes to the usage. Returns the ids in
 * insertion order.
 */
export async function seedContents(
  server: CloudServer,
  cloudID: string,
  count: number,
  row: SeededRow = {},
): Promise<string[]> {
  const { state = 'ACTIVE', cid = null, size = 10, parentFolderId = null, contentsPerBlob = 1 } = row;
  const recycledAt = state === 'RECYCLED' ? (row.recycledAt ?? Date.now() - 1_000) : null;
  const purgeAt = recycledAt === null ? null : recycledAt + RECYCLE_BIN_RETENTION_MS;
  const keys = Array.from({ length: Math.ceil(count / contentsPerBlob) }, () => randomUUID());
  const ids = Array.from({ length: count }, () => randomUUID());
  const { executor } = server.unitOfWork;
  await server.unitOfWork.run(async () => {
    await executor.query(
      `INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
       SELECT key, $2, 'LIVE', 0, $3, md5(key::text) FROM unnest($1::uuid[]) AS key`,
      [keys, cloudID, size],
    );
    await executor.query(
      `INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                                   media_type, uploader, state, created_at, updated_at, recycled_at, purge_at)
       SELECT id, $3, $4, $5, key, 'file', $6, md5(key::text), 5, 'x/x', 'user:x', $7, 0, 0, $8, $9
         FROM unnest($1::uuid[], $2::uuid[]) AS content (id, key)`,
      [
        ids,
        ids.map((_, index) => keys[Math.floor(index / contentsPerBlob)]),
        cloudID,
        parentFolderId,
        cid,
        size,
        state,
        recycledAt,
        purgeAt,
      ],
    );
    const column = state === 'ACTIVE' ? 'used_size' : 'recycle_size';
    await executor.query(
      `UPDATE mcdisk.family_cloud
          SET ${column} = ${column} + $2, content_count = content_count + $3, disk_size = 1::bigint << 50
        WHERE cloud_id = $1`,
      [cloudID, count * size, count],
    );
  });
  return ids;
}

type StoredUsage = Omit<CloudSizes, 'diskSize'> & { contentCount: number };

/**
 * Returns the stored usage of a cloud and the sums of its rows, both from one snapshot, because other requests may be
 * running.
 */
export async function findUsage(
  server: CloudServer,
  cloudID: string,
): Promise<{ stored: StoredUsage; counted: StoredUsage }> {
  const [row] = await server.unitOfWork.executor.query<{ stored: StoredUsage; counted: StoredUsage }>(
    `SELECT json_build_object('usedSize', f.used_size, 'reservedSize', f.reserved_size,
                              'recycleSize', f.recycle_size, 'contentCount', f.content_count) AS stored,
            json_build_object(
              'usedSize', coalesce(sum(c.size) FILTER (WHERE c.state = 'ACTIVE'), 0),
              'reservedSize', (SELECT coalesce(sum(u.size), 0) FROM mcdisk.upload u
                                WHERE u.cloud_id = f.cloud_id AND u.state IN ('PENDING', 'RECEIVING')),
              'recycleSize', coalesce(sum(c.size) FILTER (WHERE c.state = 'RECYCLED'), 0),
              'contentCount', count(c) FILTER (WHERE c.state <> 'PURGED')
                              + (SELECT count(*) FROM mcdisk.upload u
                                  WHERE u.cloud_id = f.cloud_id AND u.state IN ('PENDING', 'RECEIVING'))) AS counted
       FROM mcdisk.family_cloud f LEFT JOIN mcdisk.content c ON c.cloud_id = f.cloud_id
      WHERE f.cloud_id = $1 GROUP BY f.cloud_id`,
    [cloudID],
  );
  if (!row) throw new Error('Cloud not found');
  return row;
}

/** Returns the states of contents by content id, without ids that do not exist. */
export async function findStates(server: CloudServer, contentIDs: readonly string[]): Promise<Map<string, string>> {
  const rows = await server.unitOfWork.executor.query<{ id: string; state: string }>(
    'SELECT content_id AS id, state FROM mcdisk.content WHERE content_id = ANY ($1::uuid[])',
    [contentIDs],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}
