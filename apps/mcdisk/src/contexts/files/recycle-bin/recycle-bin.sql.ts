import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { PRESENTED_COLUMNS } from '../../clouds/content-columns.js';
import { visibilityCondition } from '../../clouds/visibility-condition.js';
import { LOCKED_COLUMNS } from '../../clouds/content-columns.js';

/** Raw SQL: ON CONFLICT DO UPDATE computes the later time. */
export const REQUEST_EMPTYING = `
  INSERT INTO mcdisk.bin_emptying AS existing (cloud_id, requested_by, recycled_until) VALUES ($1, $2, $3)
  ON CONFLICT (cloud_id) DO UPDATE
    SET requested_by = excluded.requested_by,
        recycled_until = greatest(existing.recycled_until, excluded.recycled_until)`;

/** Raw SQL: contains the SQL condition of visibility. */
export const LIST_RECYCLED = prepared(`
  SELECT ${PRESENTED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt"
    FROM mcdisk.content WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}
   ORDER BY recycled_at DESC, content_id LIMIT $4::bigint OFFSET $5::bigint`);

/** Raw SQL: contains the SQL condition of visibility. */
export const COUNT_RECYCLED = prepared(`
  SELECT count(*) AS count FROM mcdisk.content
   WHERE cloud_id = $1 AND state = 'RECYCLED' AND ${visibilityCondition('cid', 2)}`);

/** Raw SQL, because it is prepared: each batch of contents that are purged from one recycle bin executes it. */
export const CLAIM_RECYCLED = prepared(`
  SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
   WHERE cloud_id = $1 AND state = 'RECYCLED' AND recycled_at BETWEEN $2 AND $3
   ORDER BY recycled_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED`);

/** Raw SQL, because it is prepared: each batch of a recycle bin that is emptied executes it. */
export const LOCK_DUE_EMPTYING = prepared(`
  SELECT cloud_id AS "cloudId", requested_by AS "requestedBy", recycled_until AS "recycledUntil",
         recycled_from AS "recycledFrom"
    FROM mcdisk.bin_emptying WHERE next_at <= $1 ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`);

/** Raw SQL, because it is prepared: each batch of a recycle bin that is emptied executes it. */
export const SAVE_EMPTYING_PROGRESS = prepared(
  'UPDATE mcdisk.bin_emptying SET recycled_from = $2, next_at = $3 WHERE cloud_id = $1',
);

/** Raw SQL, because it is prepared: each batch of expired contents executes it. */
export const CLAIM_EXPIRED = prepared(`
  SELECT ${LOCKED_COLUMNS}, recycled_at AS "recycledAt", purge_at AS "purgeAt" FROM mcdisk.content
   WHERE state = 'RECYCLED' AND purge_at BETWEEN $1 AND $2
   ORDER BY purge_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`);
