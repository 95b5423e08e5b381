import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import type { CloudServer, CloudSizes } from './cloud-server.js';

/** The properties of a content that tests may set. */
export interface SeededContent {
  blobKey: string;
  parentFolderId: string | null;
  /** The child whose watch added the content, or `null` for contents of other members. */
  cid: string | null;
  uploader: string;
  name: string;
  size: number;
  digest: string;
  state: 'ACTIVE' | 'RECYCLED';
  createdAt: number;
  updatedAt: number;
  capturedAt: number | null;
  /** Time of the deletion, Unix milliseconds. */
  recycledAt: number;
}

const INSERT_BLOBS = `
  INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
  SELECT DISTINCT "blobKey", $1, 'LIVE', $3::bigint, size, digest
    FROM jsonb_to_recordset($2) AS content ("blobKey" uuid, size bigint, digest text)`;

const INSERT_CONTENTS = `
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at, shot_at, recycled_at, purge_at)
  SELECT "contentId", $1, "parentFolderId", cid, "blobKey", name, size, digest, 1, 'image/jpeg', uploader, state,
         "createdAt", "updatedAt", "capturedAt", "recycledAt", "recycledAt" + ${RECYCLE_BIN_RETENTION_MS}
    FROM jsonb_to_recordset($2) AS content ("contentId" uuid, "parentFolderId" uuid, cid text, "blobKey" uuid,
         name text, size bigint, digest text, uploader text, state text, "createdAt" bigint, "updatedAt" bigint,
         "capturedAt" bigint,
         "recycledAt" bigint)`;

const ADD_TO_USAGE = `
  UPDATE mcdisk.family_cloud SET used_size = used_size + $2, recycle_size = recycle_size + $3,
                                 content_count = content_count + $4
   WHERE cloud_id = $1`;

/**
 * Inserts contents without bytes, with ascending creation times, and adds their sizes to the usage. Returns their ids.
 * @param contents the contents, or their number
 * @param common properties of all contents
 * @param contentsPerBlob number of contents that share one blob
 */
export async function seedContents(
  server: CloudServer,
  cloudID: string,
  contents: number | readonly Partial<SeededContent>[],
  common: Partial<SeededContent> = {},
  contentsPerBlob = 1,
): Promise<string[]> {
  const now = Date.now();
  const blobKeys: string[] = [];
  const list = typeof contents === 'number' ? Array.from({ length: contents }, () => ({})) : contents;
  const rows = list.map((content, index) => {
    const state = { ...common, ...content }.state ?? 'ACTIVE';
    return {
      contentId: randomUUID(),
      blobKey: (blobKeys[Math.floor(index / contentsPerBlob)] ??= randomUUID()),
      parentFolderId: null,
      cid: null,
      uploader: 'user:somebody',
      name: 'a picture.jpg',
      size: 10,
      digest: '0'.repeat(64),
      createdAt: now + index,
      updatedAt: now + index,
      capturedAt: null,
      recycledAt: state === 'RECYCLED' ? now - 1_000 : null,
      ...common,
      ...content,
      state,
    };
  });
  const sizeOf = (state: string) => rows.reduce((sum, row) => (row.state === state ? sum + row.size : sum), 0);
  await server.unitOfWork.run(async () => {
    await server.query(INSERT_BLOBS, [cloudID, JSON.stringify(rows), now]);
    await server.query(INSERT_CONTENTS, [cloudID, JSON.stringify(rows)]);
    await server.query(ADD_TO_USAGE, [cloudID, sizeOf('ACTIVE'), sizeOf('RECYCLED'), rows.length]);
  });
  return rows.map(({ contentId }) => contentId);
}

export async function seedContent(
  server: CloudServer,
  cloudID: string,
  content: Partial<SeededContent> = {},
): Promise<string> {
  const [contentID = ''] = await seedContents(server, cloudID, [content]);
  return contentID;
}

type StoredUsage = Omit<CloudSizes, 'diskSize'> & { contentCount: number };

/** Checks that the stored usage of a cloud equals the sums of its rows. */
export async function expectUsageConsistent(server: CloudServer, cloudID: string): Promise<void> {
  // Both are from one snapshot, because other requests may be running.
  const [row] = await server.query<{ stored: StoredUsage; counted: StoredUsage }>(
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
  expect(row?.stored).toEqual(row?.counted);
  expect(row).toBeDefined();
}

/** Returns the states of contents by content id, without ids that do not exist. */
export async function findStates(server: CloudServer, contentIDs: readonly string[]): Promise<Map<string, string>> {
  const rows = await server.query<{ id: string; state: string }>(
    'SELECT content_id AS id, state FROM mcdisk.content WHERE content_id = ANY ($1::uuid[])',
    [contentIDs],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}
