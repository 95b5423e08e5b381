import { Injectable } from '@nestjs/common';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { BlobState } from '@family-watch/domain/family-cloud/contracts/blob';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { newContentIdSql } from '../files/contents/content.repository.js';

/** The columns of a content that a move needs. */
export type MovableContent = Pick<ContentEntity, 'contentId' | 'cid' | 'uploader' | 'state'>;

/** The columns of a content that a copy needs. */
export type CopiedContent = Pick<ContentEntity, 'contentId' | 'cid' | 'blobKey' | 'size' | 'state'>;

/** A content to copy and its destination folder, which is `null` for the root. */
export interface CopyTarget {
  contentId: string;
  targetId: string | null;
}

/**
 * Selects the contents to copy only by id: with a join, the planner might scan whole tables. A copy has the `cid` of
 * its source, and so the same visibility.
 */
const COPY_CONTENTS_SQL = `
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at, shot_at)
  SELECT ${newContentIdSql('cloud_id')}, cloud_id, ($3::uuid[])[array_position($2::uuid[], content_id)], cid, blob_key,
         name, size, digest, type, media_type, $4, 'ACTIVE', $5, $5, shot_at
    FROM mcdisk.content WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])
  RETURNING content_id AS "contentId"`;

/** Moves and copies contents, hundreds per statement. */
@Injectable()
export class BatchContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Locks the contents of the cloud with these ids, in any state and in id order. */
  lock(cloudId: string, contentIds: readonly string[]): Promise<MovableContent[]> {
    return this.unitOfWork.prepared.query<MovableContent>(
      `SELECT content_id AS "contentId", cid, uploader, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR NO KEY UPDATE`,
      [cloudId, contentIds],
    );
  }

  /** Moves contents into one folder. Must be called in the transaction that locked the contents. */
  async move(cloudId: string, contentIds: readonly string[], targetId: string | null): Promise<void> {
    await this.unitOfWork.prepared.query(
      `UPDATE mcdisk.content SET parent_catalog_id = $3 WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])`,
      [cloudId, contentIds, targetId],
    );
  }

  /**
   * Locks the contents of the cloud with these ids for share, in any state and in id order, so that their state cannot
   * change until commit. Several transactions can lock the same contents for share at the same time.
   */
  lockForShare(cloudId: string, contentIds: readonly string[]): Promise<CopiedContent[]> {
    return this.unitOfWork.prepared.query<CopiedContent>(
      `SELECT content_id AS "contentId", cid, blob_key AS "blobKey", size, state FROM mcdisk.content
        WHERE cloud_id = $1 AND content_id = ANY($2::uuid[]) ORDER BY content_id FOR SHARE`,
      [cloudId, contentIds],
    );
  }

  /**
   * Locks blobs, so that they cannot be deleted until commit, and makes blobs in state CONDEMNED live again, which
   * garbage collection would delete.
   * @returns keys of the blobs that exist
   */
  async lockBlobs(cloudId: string, blobKeys: readonly string[], now: number): Promise<Set<string>> {
    const rows = await this.unitOfWork.prepared.query<{ blobKey: string; state: BlobState }>(
      `SELECT blob_key AS "blobKey", state FROM mcdisk.blob WHERE cloud_id = $1 AND blob_key = ANY($2::uuid[])
        ORDER BY blob_key FOR NO KEY UPDATE`,
      [cloudId, blobKeys],
    );
    const keysIn = (requested: BlobState) => rows.flatMap(({ blobKey, state }) => (state === requested ? blobKey : []));
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
   * Copies active contents. Must be called in the transaction that locked the contents for share and their blobs.
   * @returns ids of the copies
   */
  async copy(
    cloudId: string,
    targets: readonly CopyTarget[],
    { uploader, now }: { uploader: PrincipalKey; now: number },
  ): Promise<string[]> {
    if (targets.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ contentId: string }>(COPY_CONTENTS_SQL, [
      cloudId,
      targets.map(({ contentId }) => contentId),
      targets.map(({ targetId }) => targetId),
      uploader,
      now,
    ]);
    return rows.map(({ contentId }) => contentId);
  }
}
