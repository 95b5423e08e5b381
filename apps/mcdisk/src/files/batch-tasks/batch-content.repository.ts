import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { BLOB_STATE, type BlobState } from '@family-watch/domain/family-cloud/contracts/blob';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { newContentIdSql } from '../contents/content-id.js';

/**
 * Selects the contents to copy only by id: with a join, the planner might scan whole tables. A copy has the `cid` of
 * its source, and so the same visibility.
 */
const COPY_CONTENTS = prepared(`
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at, shot_at)
  SELECT ${newContentIdSql('cloud_id')}, cloud_id, ($3::uuid[])[array_position($2::uuid[], content_id)], cid, blob_key,
         name, size, digest, type, media_type, $4, 'ACTIVE', $5, $5, shot_at
    FROM mcdisk.content WHERE cloud_id = $1 AND content_id = ANY($2::uuid[])
  RETURNING content_id AS "contentId"`);

/** The columns of a content that a move needs. */
export type MovableContent = Pick<ContentEntity, 'contentId' | 'cid' | 'uploader' | 'state'>;

/** The columns of a content that a copy needs. */
export type CopiedContent = Pick<ContentEntity, 'contentId' | 'cid' | 'blobKey' | 'size' | 'state'>;

/** A content to copy, and the destination folder of the copy, which is `null` for the root. */
export interface CopyTarget {
  contentId: string;
  targetId: string | null;
}

/** Moves and copies contents, hundreds per statement. */
@Injectable()
export class BatchContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Locks the contents of the cloud with these ids, in any state and in id order. */
  lock(cloudId: string, contentIds: readonly string[]): Promise<MovableContent[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: { contentId: true, cid: true, uploader: true, state: true },
      where: { cloudId, contentId: Any(contentIds) },
      order: { contentId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Moves contents into one folder. Must be called in the transaction that locked the contents. */
  async move(cloudId: string, contentIds: readonly string[], targetId: string | null): Promise<void> {
    const changes = { parentFolderId: targetId };
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId: Any(contentIds) }, changes);
  }

  /**
   * Locks the contents of the cloud with these ids for share, in any state and in id order, so that their state cannot
   * change until commit. Several transactions can lock the same contents for share at the same time.
   */
  lockForShare(cloudId: string, contentIds: readonly string[]): Promise<CopiedContent[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: { contentId: true, cid: true, blobKey: true, size: true, state: true },
      where: { cloudId, contentId: Any(contentIds) },
      order: { contentId: 'ASC' },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /**
   * Locks blobs, so that they cannot be deleted until commit. Blobs in state CONDEMNED become LIVE again, because
   * garbage collection would delete them.
   * @returns keys of the blobs that exist
   */
  async lockBlobs(cloudId: string, blobKeys: readonly string[], now: number): Promise<Set<string>> {
    const { manager } = this.unitOfWork;
    const rows = await manager.find(BlobEntity, {
      select: { blobKey: true, state: true },
      where: { cloudId, blobKey: Any(blobKeys) },
      order: { blobKey: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    const keysIn = (requested: BlobState) => rows.flatMap(({ blobKey, state }) => (state === requested ? blobKey : []));
    const condemned = keysIn(BLOB_STATE.CONDEMNED);
    if (condemned.length > 0) {
      const changes = { state: BLOB_STATE.LIVE, stateSince: now };
      await manager.update(BlobEntity, { cloudId, blobKey: Any(condemned) }, changes);
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
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(COPY_CONTENTS, [
      cloudId,
      ...columnsOf(targets, 'contentId', 'targetId'),
      uploader,
      now,
    ]);
    return rows.map(({ contentId }) => contentId);
  }
}
