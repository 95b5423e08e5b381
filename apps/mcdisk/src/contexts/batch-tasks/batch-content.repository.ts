import { Injectable } from '@nestjs/common';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { BlobState } from '@family-watch/domain/family-cloud/contracts/blob';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { newContentIdSql } from '../contents/content-id.js';

/** What moving has to know of a content. */
export type MovableContent = Pick<ContentEntity, 'contentId' | 'cid' | 'uploader' | 'state'>;

/** What copying has to know of a content. */
export type CopiedContent = Pick<ContentEntity, 'contentId' | 'cid' | 'blobKey' | 'size' | 'state'>;

/** A content that is to be copied, and the folder where the copy goes; `null`: the root catalog. */
export interface CopyTarget {
  contentId: string;
  targetId: string | null;
}

/** Found by the ids alone, as one is found: a join might read whole tables. Who may see the source sees the copy. */
const COPY = `
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at, shot_at)
  SELECT ${newContentIdSql('cloud_id')}, cloud_id, ($3::uuid[])[array_position($2::uuid[], content_id)], cid, blob_key, name, size,
         digest, type, media_type, $4, 'ACTIVE', $5, $5, shot_at
    FROM mcdisk.content WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])
  RETURNING content_id AS "contentId"`;

/** Contents as batch tasks move and copy them: hundreds at a time, one statement each. */
@Injectable()
export class BatchContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Contents of the cloud among the ids, whatever their state, locked in id order. */
  lock(cloudId: string, contentIds: readonly string[]): Promise<MovableContent[]> {
    return this.unitOfWork.prepared.query<MovableContent>(
      `SELECT content_id AS "contentId", cid, uploader, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE`,
      [cloudId, contentIds],
    );
  }

  /** Contents that are locked go into one folder. */
  async move(cloudId: string, contentIds: readonly string[], targetId: string | null): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content SET parent_catalog_id = $3 WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])`,
      [cloudId, contentIds, targetId],
    );
  }

  /**
   * Contents of the cloud among the ids, whatever their state; what is active stays so until the unit of work ends.
   * Others may hold them as well.
   */
  lockForShare(cloudId: string, contentIds: readonly string[]): Promise<CopiedContent[]> {
    return this.unitOfWork.prepared.query<CopiedContent>(
      `SELECT content_id AS "contentId", cid, blob_key AS "blobKey", size, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds],
    );
  }

  /**
   * Nobody gives up these bytes until the unit of work ends; those that were about to go stay.
   * @returns keys of those that are there
   */
  async lockBlobs(cloudId: string, blobKeys: readonly string[], now: number): Promise<Set<string>> {
    const rows = await this.unitOfWork.prepared.query<{ blobKey: string; state: BlobState }>(
      `SELECT blob_key AS "blobKey", state FROM mcdisk.blob WHERE cloud_id = $1 AND blob_key = ANY($2::uuid[])
        ORDER BY blob_key FOR NO KEY UPDATE`,
      [cloudId, blobKeys],
    );
    const keysIn = (wanted: BlobState) => rows.flatMap(({ blobKey, state }) => (state === wanted ? blobKey : []));
    const condemned = keysIn(BLOB_STATE.CONDEMNED);
    if (condemned.length > 0) {
      await this.unitOfWork.prepared.query(
        `UPDATE mcdisk.blob SET state = 'LIVE', state_since = $3 WHERE cloud_id = $1 AND blob_key = ANY($2::uuid[])`,
        [cloudId, condemned, now],
      );
    }
    return new Set([...condemned, ...keysIn(BLOB_STATE.LIVE)]);
  }

  /**
   * Copies active contents that are held, on bytes that are kept.
   * @returns ids of the copies
   */
  async copy(
    cloudId: string,
    targets: readonly CopyTarget[],
    { uploader, now }: { uploader: PrincipalKey; now: number },
  ): Promise<string[]> {
    if (targets.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(COPY, [
      cloudId,
      targets.map(({ contentId }) => contentId),
      targets.map(({ targetId }) => targetId),
      uploader,
      now,
    ]);
    return rows.map(({ contentId }) => contentId);
  }
}
