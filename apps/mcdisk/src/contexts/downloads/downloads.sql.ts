import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { READABLE_COLUMNS } from '../clouds/content-columns.js';

/**
 * Raw SQL: reads the contents of a set of keys. Prepared, because each batch of downloads executes it. The result
 * contains the membership snapshot of each family only once, regardless of the number of contents that are found.
 */
export const FIND_CONTENTS_WITH_FAMILIES = prepared(`
  SELECT ${READABLE_COLUMNS},
         CASE WHEN row_number() OVER (PARTITION BY c.cloud_id) = 1 THEN p.snapshot END AS snapshot
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS requested (cloud_id, content_id)) AS requested
    JOIN mcdisk.content c ON c.content_id = requested.content_id AND c.cloud_id = requested.cloud_id
    JOIN mcdisk.family_projection p ON p.family_id = c.cloud_id
   WHERE c.state = 'ACTIVE'`);
