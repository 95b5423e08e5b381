import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { visibilityCondition } from '../clouds/visibility-condition.js';
import { newContentIdSql } from '../files/contents/content-id.js';

/** Raw SQL: claims rows with SKIP LOCKED in a subquery. */
export const DELETE_FINISHED_TASKS = `
  DELETE FROM mcdisk.batch_task WHERE task_id IN (
    SELECT task_id FROM mcdisk.batch_task WHERE finished_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING task_id`;

/**
 * Raw SQL: copies columns. Selects the contents to copy only by id: with a join, the planner might scan whole tables. A
 * copy has the `cid` of its source, and so the same visibility.
 */
export const COPY_CONTENTS = prepared(`
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at, shot_at)
  SELECT ${newContentIdSql('cloud_id')}, cloud_id, ($3::uuid[])[array_position($2::uuid[], content_id)], cid, blob_key,
         name, size, digest, type, media_type, $4, 'ACTIVE', $5, $5, shot_at
    FROM mcdisk.content WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])
  RETURNING content_id AS "contentId"`);

/** Raw SQL: contains the SQL condition of visibility. */
export const FIND_DESCENDANTS = prepared(`
  SELECT content.content_id AS "contentId"
    FROM mcdisk.content content JOIN mcdisk.catalog catalog ON catalog.catalog_id = content.parent_catalog_id
   WHERE content.cloud_id = $1 AND content.content_id = ANY($2::uuid[]) AND content.state = 'ACTIVE'
     AND catalog.state = 'ACTIVE' AND catalog.chain && $3::uuid[] AND ${visibilityCondition('content.cid', 4)}`);

/** Raw SQL: contains the SQL condition of visibility. */
export const COUNT_VISIBLE_CONTENTS = prepared(`
  SELECT count(*)::int AS count FROM mcdisk.content
   WHERE cloud_id = $1 AND parent_catalog_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}`);

/** Raw SQL: inserts a set of rows. */
export const INSERT_TASK_FOLDERS = `
  INSERT INTO mcdisk.batch_task_folder (task_id, position, catalog_id, parent_position)
  SELECT $1, * FROM unnest($2::int[], $3::uuid[], $4::int[])`;

/**
 * Raw SQL: applies the limit also to each folder, so that a chunk does not read all contents of a large folder.
 * Prepared, because each chunk of a task executes it.
 */
export const LIST_NEXT_CONTENTS = prepared(`
  SELECT folder.position, content.content_id AS "contentId", folder.target_id AS "targetId"
    FROM mcdisk.batch_task_folder folder
   CROSS JOIN LATERAL (
     SELECT content_id FROM mcdisk.content
      WHERE parent_catalog_id = folder.catalog_id AND cloud_id = $2 AND state = 'ACTIVE'
        AND content_id > CASE folder.position WHEN $3 THEN $4::uuid ELSE '${MIN_UUID}' END
        AND ${visibilityCondition('cid', 6)}
      ORDER BY content_id LIMIT $5) content
   WHERE folder.task_id = $1 AND folder.position >= $3
   ORDER BY folder.position, content.content_id LIMIT $5`);
