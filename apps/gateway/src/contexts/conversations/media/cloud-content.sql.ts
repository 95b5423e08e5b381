import { contentDigestSql } from '@family-watch/domain/kernel/contracts/snapshot-source';

/** Raw: set-based. */
export const INSERT_CONTENTS = `
  INSERT INTO gateway.cloud_content (content_id, family_id) SELECT unnest($2::text[]), $1
  ON CONFLICT (content_id) DO NOTHING`;

/** Raw: an aggregate that mcdisk computes with the same expression. */
export const FIND_CONTENT_DIGESTS = `
  SELECT family_id AS "cloudId", count(*)::int AS count, ${contentDigestSql('content_id')} AS digest
  FROM gateway.cloud_content WHERE family_id = ANY($1::text[]) GROUP BY family_id`;

/** Raw: a cloud may have a million files, for which TypeORM would create entities. */
export const FIND_CONTENT_IDS = 'SELECT content_id AS id FROM gateway.cloud_content WHERE family_id = $1';
