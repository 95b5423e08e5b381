import { Injectable } from '@nestjs/common';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/clouds.sql.js';

/** The properties that a new content copies from a content with the same bytes. */
export type DuplicateContent = Pick<ContentEntity, 'digest' | 'size' | 'type' | 'mediaType' | 'capturedAt'> & {
  blobKey: string;
};

/** Finds contents by digest and size, so that clients need not send the same bytes again. */
@Injectable()
export class DeduplicationRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Returns one visible, active content for each digest and size. Locks the blobs of these contents in key order until
   * the transaction ends.
   */
  async lockVisibleDuplicates(
    cloudId: string,
    visibility: Visibility,
    fingerprints: readonly { digest: string; size: number }[],
  ): Promise<DuplicateContent[]> {
    return this.unitOfWork.executor.query<DuplicateContent>(
      `SELECT seen.digest, seen.size, seen.type, seen.media_type AS "mediaType", seen.shot_at AS "capturedAt",
              b.blob_key AS "blobKey"
         FROM mcdisk.blob b
         JOIN (
           SELECT DISTINCT ON (requested.digest, requested.size) c.*
             FROM unnest($2::text[], $3::bigint[]) AS requested (digest, size)
             JOIN mcdisk.blob e ON e.cloud_id = $1 AND e.digest = requested.digest AND e.size = requested.size
              AND e.state IN ('LIVE', 'CONDEMNED')
             JOIN mcdisk.content c ON c.blob_key = e.blob_key AND c.cloud_id = $1 AND c.state = 'ACTIVE'
            WHERE ${visibilityCondition('c.cid', 4)}
            ORDER BY requested.digest, requested.size, c.content_id
         ) seen ON seen.blob_key = b.blob_key
        WHERE b.state IN ('LIVE', 'CONDEMNED')
        ORDER BY b.blob_key FOR NO KEY UPDATE OF b`,
      [
        cloudId,
        fingerprints.map(({ digest }) => digest),
        fingerprints.map(({ size }) => size),
        ...visibilityParameters(visibility),
      ],
    );
  }

  /**
   * Makes blobs in state CONDEMNED, which garbage collection would delete, live again. The caller must have locked
   * these blobs with `lockVisibleDuplicates`.
   */
  async makeLive(cloudId: string, blobKeys: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE mcdisk.blob SET state = 'LIVE', state_since = $3
        WHERE cloud_id = $1 AND blob_key = ANY($2::uuid[]) AND state = 'CONDEMNED'`,
      [cloudId, blobKeys, now],
    );
  }

  async insertContents(contents: readonly ContentEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(ContentEntity, [...contents]);
  }
}
