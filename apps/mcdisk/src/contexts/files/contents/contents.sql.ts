import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';

/** Raw because it aggregates a page of clouds that may have no contents. */
export const LIST_DIGESTS = `
  SELECT cloud_id AS "cloudId", count(content_id)::int AS count, ${contentDigestSql('content_id::text')} AS digest
    FROM (SELECT cloud_id FROM mcdisk.family_cloud
           WHERE $1::text IS NULL OR cloud_id > $1 ORDER BY cloud_id LIMIT $2) AS page
    LEFT JOIN (SELECT cloud_id, content_id FROM mcdisk.content WHERE state = 'ACTIVE') AS content USING (cloud_id)
   GROUP BY cloud_id ORDER BY cloud_id`;
