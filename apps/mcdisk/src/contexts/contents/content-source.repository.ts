import { Injectable } from '@nestjs/common';
import {
  CONTENT_DIGEST_PAGE_SIZE,
  CONTENT_ID_PAGE_SIZE,
  contentDigestSql,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { ContentDigest, ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** Returns the available contents of family clouds to the apps that project them. */
@Injectable()
export class ContentSourceRepository implements ContentSource {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  listDigests(after: string | null): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(
      `SELECT cloud_id AS "cloudId", count(content_id)::int AS count, ${contentDigestSql('content_id::text')} AS digest
         FROM (SELECT cloud_id FROM mcdisk.family_cloud
                WHERE $1::text IS NULL OR cloud_id > $1 ORDER BY cloud_id LIMIT $2) AS page
         LEFT JOIN (SELECT cloud_id, content_id FROM mcdisk.content WHERE state = 'ACTIVE') AS content USING (cloud_id)
        GROUP BY cloud_id ORDER BY cloud_id`,
      [after, CONTENT_DIGEST_PAGE_SIZE],
    );
  }

  async listIds(cloudId: string, after: string | null): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ id: string }>(
      `SELECT content_id AS id FROM mcdisk.content
        WHERE cloud_id = $1 AND state = 'ACTIVE' AND ($2::uuid IS NULL OR content_id > $2)
        ORDER BY content_id LIMIT $3`,
      [cloudId, after, CONTENT_ID_PAGE_SIZE],
    );
    return rows.map(({ id }) => id);
  }
}
