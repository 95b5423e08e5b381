import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { visibilityCondition } from '../../clouds/visibility-condition.js';

/** SQL condition: the content is active and visible to the member. */
const VISIBLE_SQL = `content.cloud_id = $1 AND content.state = 'ACTIVE' AND ${visibilityCondition('content.cid', 2)}`;

/**
 * Raw SQL: computes counts and covers in one statement. Lists albums, most recently changed first. The cover that a
 * member chose is used while it is visible to the reader; otherwise the newest visible content is the cover. The number
 * of rows read depends on the numbers of albums, covers, children and recycled contents, and not on the number of
 * contents in the albums.
 */
export const LIST_ALBUMS = prepared(`
  WITH album AS MATERIALIZED (
         SELECT * FROM mcdisk.album
          WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)} AND ($4::uuid IS NULL OR photo_id = $4)
          ORDER BY updated_at DESC, photo_id LIMIT $5 OFFSET $6),
       recycled AS MATERIALIZED (
         SELECT entry.photo_id, count(*)::int AS count FROM mcdisk.content
          CROSS JOIN LATERAL (SELECT photo_id FROM mcdisk.album_content
                               WHERE content_id = content.content_id OFFSET 0) entry
          WHERE content.cloud_id = $1 AND content.state = 'RECYCLED' AND ${visibilityCondition('content.cid', 2)}
          GROUP BY entry.photo_id)
  SELECT album.photo_id AS "albumId", album.name, album.created_at AS "createdAt", album.updated_at AS "updatedAt",
         visible.count AS "contentCount",
         CASE WHEN visible.count > 0 THEN coalesce(
           (SELECT content.content_id FROM mcdisk.album_content entry JOIN mcdisk.content USING (content_id)
             WHERE entry.photo_id = album.photo_id AND entry.content_id = album.cover_content_id AND ${VISIBLE_SQL}),
           (SELECT entry.content_id FROM mcdisk.album_content entry
             CROSS JOIN LATERAL (SELECT FROM mcdisk.content WHERE content_id = entry.content_id AND ${VISIBLE_SQL}
                                 OFFSET 0) content
             WHERE entry.photo_id = album.photo_id AND ${visibilityCondition('entry.cid', 2)}
             ORDER BY entry.taken_at DESC, entry.content_id LIMIT 1)) END AS "coverId"
    FROM album LEFT JOIN recycled USING (photo_id)
   CROSS JOIN LATERAL (
     SELECT (coalesce(sum(placed), 0) - coalesce(recycled.count, 0))::int AS count FROM mcdisk.album_count counted
      WHERE counted.photo_id = album.photo_id AND ${visibilityCondition('counted.cid', 2)}) visible
   ORDER BY album.updated_at DESC, album.photo_id`);

/** Raw SQL: contains the SQL condition of visibility. */
export const COUNT_VISIBLE_ALBUMS = prepared(`
  SELECT count(*)::int AS count FROM mcdisk.album WHERE cloud_id = $1 AND ${visibilityCondition('cid', 2)}`);

const VISIBLE_IN_ALBUM_SQL = `
    FROM mcdisk.album_content entry JOIN mcdisk.content content USING (content_id)
   WHERE entry.photo_id = $1 AND entry.cloud_id = $2 AND content.cloud_id = $2 AND content.state = 'ACTIVE'
     AND ${visibilityCondition('content.cid', 3)}`;

/** Raw SQL: contains the SQL condition of visibility. */
export const FIND_VISIBLE_ALBUM_CONTENT = prepared(`SELECT ${VISIBLE_IN_ALBUM_SQL} AND content_id = $5`);

/** Raw SQL: contains the SQL condition of visibility. */
export const LIST_VISIBLE_ALBUM_CONTENTS = prepared(`
  SELECT content.content_id AS "contentId" ${VISIBLE_IN_ALBUM_SQL}
   ORDER BY entry.taken_at DESC, entry.content_id LIMIT $5 OFFSET $6`);

/** Raw SQL: contains the SQL condition of visibility. */
export const COUNT_VISIBLE_ALBUM_CONTENTS = prepared(`SELECT count(*)::int AS count ${VISIBLE_IN_ALBUM_SQL}`);

/** Raw SQL: copies columns of the contents. */
export const INSERT_ALBUM_CONTENTS = `
  INSERT INTO mcdisk.album_content (photo_id, content_id, cloud_id, cid, taken_at, added_at)
  SELECT $1, content_id, cloud_id, cid, coalesce(shot_at, created_at), $4 FROM mcdisk.content
   WHERE cloud_id = $2 AND content_id = ANY($3::uuid[]) ORDER BY content_id`;
