import { Injectable } from '@nestjs/common';
import { Any, type EntityTarget } from 'typeorm';
import type { ErasureCounts } from '@family-watch/domain/kernel/contracts/account-erasure';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import {
  AlbumEntity,
  ContentEntity,
  FolderEntity,
  RecycleBinEmptyingEntity,
} from '@family-watch/domain/family-cloud/entities/content.entities';
import { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { MediaGrantEntity, ShareEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { ERASED_PRINCIPAL, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import { deleteBatch, updateBatch } from '@family-watch/platform/database/entity-queries';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { CLEANUP_BATCH_SIZE } from './cleanup-task.repository.js';
import type { LockedContent } from '../files/contents/content.repository.js';
import type { CleanupKind } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { LOCKED_COLUMNS } from '../clouds/content-columns.js';

/**
 * Selects the contents to clean up among the next contents of the table. The parameter `$3` is the subject of the task.
 */
function scanContentsSql(condition: string): string {
  return `
  SELECT (array_agg(content_id ORDER BY content_id DESC))[1] AS last,
         coalesce(array_agg(content_id) FILTER (WHERE ${condition}), '{}') AS found
    FROM (SELECT content_id, cloud_id, cid, uploader, state FROM mcdisk.content
           WHERE content_id > $1 ORDER BY content_id LIMIT $2) page`;
}

const SCAN_CONTENTS: Readonly<Record<CleanupKind, string>> = {
  FAMILY: scanContentsSql(`cloud_id = $3 AND state = 'PURGED'`),
  CHILD: scanContentsSql(`cid = $3`),
  ACCOUNT: scanContentsSql(`uploader = 'user:' || $3`),
};

/** The subquery limits the rows before they are locked in id order. */
function lockActiveSql(condition: string): string {
  return `
  SELECT ${LOCKED_COLUMNS} FROM mcdisk.content
   WHERE content_id IN (SELECT content_id FROM mcdisk.content WHERE state = 'ACTIVE' AND ${condition} LIMIT $2)
     AND state = 'ACTIVE'
   ORDER BY content_id FOR NO KEY UPDATE`;
}

const LOCK_ACTIVE_CONTENTS = lockActiveSql('cloud_id = $1');

const LOCK_ACTIVE_CONTENTS_OF_CHILD = lockActiveSql('cloud_id = $1 AND cid = $3');

/** Number of contents that one step scans. */
const PAGE_SIZE = 5_000;

/** Changes and deletes contents and other rows of a cloud in the steps of cleanup tasks. */
@Injectable()
export class CleanupDataRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Locks active contents of a cloud in id order. */
  lockActiveContents(cloudId: string, limit: number): Promise<LockedContent[]> {
    return this.unitOfWork.executor.query<LockedContent>(LOCK_ACTIVE_CONTENTS, [cloudId, limit]);
  }

  /** Locks active contents that a child's watch added, in id order. */
  lockActiveContentsOfChild(cloudId: string, cid: string, limit: number): Promise<LockedContent[]> {
    return this.unitOfWork.executor.query<LockedContent>(LOCK_ACTIVE_CONTENTS_OF_CHILD, [cloudId, limit, cid]);
  }

  hasRecycledContentsOfChild(cloudId: string, cid: string): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(ContentEntity, { cloudId, cid, state: CONTENT_STATE.RECYCLED });
  }

  /** Reassigns contents to the family. Must be called in the transaction that locked the contents. */
  async reassignContentsToFamily(contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.update(ContentEntity, { contentId: Any(contentIds) }, { cid: null });
  }

  /**
   * Scans the next page of the content table, because no index supports the conditions. Deletes or anonymizes those
   * contents of the page that the task concerns.
   * @returns id of the last scanned content, or `undefined` when no content is left, and the number of changed contents
   */
  async cleanPage({
    kind,
    subject,
    cursor,
  }: CleanupTaskEntity): Promise<{ last: string | undefined; changed: number }> {
    const { executor, manager } = this.unitOfWork;
    const [page] = await executor.query<{ last: string | null; found: string[] }>(SCAN_CONTENTS[kind], [
      cursor ?? MIN_UUID,
      PAGE_SIZE,
      subject,
    ]);
    if (!page?.last) return { last: undefined, changed: 0 };
    if (page.found.length > 0) {
      const found = { contentId: Any(page.found) };
      // Locks the contents in id order first, like all transactions, so that transactions do not deadlock.
      await manager.find(ContentEntity, {
        select: { contentId: true },
        where: found,
        order: { contentId: 'ASC' },
        lock: { mode: 'pessimistic_write' },
      });
      if (kind === 'FAMILY') await manager.delete(ContentEntity, found);
      else
        await manager.update(ContentEntity, found, kind === 'CHILD' ? { cid: null } : { uploader: ERASED_PRINCIPAL });
    }
    return { last: page.last, changed: page.found.length };
  }

  /**
   * Deletes the rows of a cloud after its contents were deleted. The row of the cloud itself stays, because the rows of
   * its blobs refer to it until garbage collection deletes them.
   */
  async deleteRowsOfCloud(cloudId: string): Promise<void> {
    for (const entity of CLEANUP_ENTITIES) await this.unitOfWork.manager.delete(entity, { cloudId });
  }

  /**
   * Deletes references to an account except those in contents and uploads, and anonymizes the references whose rows stay
   * with the family, in the order in which transactions lock the tables. Changes at most {@link CLEANUP_BATCH_SIZE} rows
   * of each kind.
   * @returns number of changed rows by table
   */
  async anonymize(principal: PrincipalKey): Promise<ErasureCounts> {
    const { manager } = this.unitOfWork;
    const limit = CLEANUP_BATCH_SIZE;
    const ownedBy = { where: { principal }, limit };
    const createdBy = { where: { createdBy: principal }, limit };
    const erased = { createdBy: ERASED_PRINCIPAL };
    const counts = {
      batch_task: await deleteBatch(manager.getRepository(BatchTaskEntity), ownedBy),
      share: await deleteBatch(manager.getRepository(ShareEntity), {
        where: [{ grantee: principal }, { createdBy: principal }],
        limit,
      }),
      idempotency_key: await deleteBatch(manager.getRepository(IdempotencyKeyEntity), ownedBy),
      anonymized_catalog: await updateBatch(manager.getRepository(FolderEntity), createdBy, erased),
      anonymized_album: await updateBatch(manager.getRepository(AlbumEntity), createdBy, erased),
    };
    await manager.update(RecycleBinEmptyingEntity, { requestedBy: principal }, { requestedBy: ERASED_PRINCIPAL });
    return counts;
  }

  /**
   * Anonymizes an account and its sessions in at most {@link CLEANUP_BATCH_SIZE} uploads. Returns their number.
   */
  anonymizeUploads(principal: PrincipalKey): Promise<number> {
    const uploads = this.unitOfWork.manager.getRepository(UploadEntity);
    const batch = { where: { principal }, limit: CLEANUP_BATCH_SIZE };
    return updateBatch(uploads, batch, { principal: ERASED_PRINCIPAL, sessionId: '' });
  }
}

/**
 * Entities of a cloud, in the order in which their tables are emptied: a table comes before the tables that its rows
 * refer to. Rows of other tables are deleted with the rows that they refer to (ON DELETE CASCADE).
 */
export const CLEANUP_ENTITIES: readonly EntityTarget<{ cloudId: string }>[] = [
  BatchTaskEntity,
  RecycleBinEmptyingEntity,
  MediaGrantEntity,
  ShareEntity,
  AlbumEntity,
  UploadEntity,
  FolderEntity,
];
