import { Injectable } from '@nestjs/common';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityCondition, visibilityParameters } from '../clouds/visibility-sql.js';

/** A content whose bytes another one may have as well. */
export type DuplicateContent = Pick<ContentEntity, 'digest' | 'size' | 'type' | 'mediaType' | 'capturedAt'> & {
  blobKey: string;
};

/** Contents by their bytes, for files that need not be sent again. */
@Injectable()
export class DeduplicationRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Active contents that the actor sees, one for each of the bytes; their blobs are locked by key and stay until the
   * unit of work ends.
   */
  async lockVisibleDuplicates(
    cloudId: string,
    sight: Visibility,
    bytes: readonly { digest: string; size: number }[],
  ): Promise<DuplicateContent[]> {
    return this.unitOfWork.executor.query<DuplicateContent>(
      `SELECT seen.digest, seen.size, seen.type, seen.media_type AS "mediaType", seen.shot_at AS "capturedAt",
              b.blob_key AS "blobKey"
         FROM mcdisk.blob b
         JOIN (
           SELECT DISTINCT ON (w.digest, w.size) c.*
             FROM unnest($2::text[], $3::bigint[]) AS w (digest, size)
             JOIN mcdisk.blob e ON e.cloud_id = $1 AND e.digest = w.digest AND e.size = w.size
              AND e.state IN ('LIVE', 'CONDEMNED')
             JOIN mcdisk.content c ON c.blob_key = e.blob_key AND c.cloud_id = $1 AND c.state = 'ACTIVE'
            WHERE ${visibilityCondition('c.cid', 4)}
            ORDER BY w.digest, w.size, c.content_id
         ) seen ON seen.blob_key = b.blob_key
        WHERE b.state IN ('LIVE', 'CONDEMNED')
        ORDER BY b.blob_key FOR NO KEY UPDATE OF b`,
      [cloudId, bytes.map(({ digest }) => digest), bytes.map(({ size }) => size), ...visibilityParameters(sight)],
    );
  }

  /** Condemned blobs among those that `lockVisibleDuplicates` has locked are wanted again. */
  async revive(cloudId: string, blobKeys: readonly string[], now: number): Promise<void> {
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
