import { randomUUID } from 'node:crypto';
import type { CloudServer } from './cloud-server.js';

/** A content that a test inserted directly into the database. */
export interface SeededContent {
  contentId: string;
  parentFolderId: string | null;
  /** The child whose watch added the content, or `null` for contents of other members. */
  cid: string | null;
  uploader: string;
  size: number;
  blobKey: string;
}

const INSERT_BLOBS = `
  INSERT INTO mcdisk.blob (blob_key, cloud_id, state, state_since, size, digest)
  SELECT blob_key, $1, 'LIVE', 0, size, repeat('0', 64) FROM unnest($2::uuid[], $3::bigint[]) AS blob (blob_key, size)`;

const INSERT_CONTENTS = `
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at)
  SELECT content_id, $1, parent, cid, blob_key, 'a picture.jpg', size, repeat('0', 64), 1,
         'image/jpeg', uploader, 'ACTIVE', $8 + place, $8 + place
    FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::bigint[], $7::text[])
      WITH ORDINALITY AS content (content_id, parent, cid, blob_key, size, uploader, place)`;

/** Inserts contents without bytes, with ascending creation times, and adds their sizes to the usage. */
export async function seedContents(
  server: CloudServer,
  cloudID: string,
  contents: readonly Partial<SeededContent>[],
): Promise<SeededContent[]> {
  const seeded = contents.map((content): SeededContent => ({
    contentId: randomUUID(),
    blobKey: randomUUID(),
    parentFolderId: null,
    cid: null,
    uploader: 'user:somebody',
    size: 10,
    ...content,
  }));
  const column = <Value>(value: (content: SeededContent) => Value) => seeded.map((content) => value(content));
  const [keys, sizes] = [column(({ blobKey }) => blobKey), column(({ size }) => size)];
  await server.unitOfWork.run(async () => {
    await server.unitOfWork.executor.query(INSERT_BLOBS, [cloudID, keys, sizes]);
    await server.unitOfWork.executor.query(INSERT_CONTENTS, [
      cloudID,
      column(({ contentId }) => contentId),
      column(({ parentFolderId }) => parentFolderId),
      column(({ cid }) => cid),
      keys,
      sizes,
      column(({ uploader }) => uploader),
      Date.now(),
    ]);
    await server.unitOfWork.executor.query(
      'UPDATE mcdisk.family_cloud SET used_size = used_size + $2, content_count = content_count + $3 WHERE cloud_id = $1',
      [cloudID, sizes.reduce((sum, size) => sum + size, 0), sizes.length],
    );
  });
  return seeded;
}

export async function seedContent(
  server: CloudServer,
  cloudID: string,
  content: Partial<SeededContent> = {},
): Promise<string> {
  const [seeded] = await seedContents(server, cloudID, [content]);
  return seeded?.contentId ?? '';
}

/** Returns the usage of a cloud in bytes, computed from its rows, which the stored usage must equal. */
export async function computeUsage(
  server: CloudServer,
  cloudID: string,
): Promise<{ usedSize: number; recycleSize: number; reservedSize: number }> {
  const [row] = await server.unitOfWork.executor.query<{ usedSize: number; recycleSize: number; reservedSize: number }>(
    `SELECT coalesce(sum(size) FILTER (WHERE state = 'ACTIVE'), 0)::bigint AS "usedSize",
            coalesce(sum(size) FILTER (WHERE state = 'RECYCLED'), 0)::bigint AS "recycleSize",
            (SELECT coalesce(sum(size), 0)::bigint FROM mcdisk.upload
              WHERE cloud_id = $1 AND state IN ('PENDING', 'RECEIVING')) AS "reservedSize"
       FROM mcdisk.content WHERE cloud_id = $1`,
    [cloudID],
  );
  if (!row) throw new Error('An aggregate must return one row');
  return row;
}
