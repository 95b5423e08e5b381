import { Injectable } from '@nestjs/common';
import { Any, MoreThan } from 'typeorm';
import { CONTENT_STATE, RECYCLE_BIN_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity, FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { CONTENT_DIGEST_PAGE_SIZE, CONTENT_ID_PAGE_SIZE } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { ContentDigest, ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityParameters } from '../../clouds/visibility-condition.js';
import type { PresentedContent } from '../../clouds/content-columns.js';
import type { FolderPath } from '../folders/folder-path.js';
import { countContentsSql, LIST_DIGESTS, listContentsSql, PURGE_CONTENTS, RECYCLE_VISIBLE } from './contents.sql.js';
import type { ListedFolder, ListingOrder } from './contents.sql.js';

const { ACTIVE, RECYCLED } = CONTENT_STATE;

/** The columns of a content that a change of state needs. */
export type LockedContent = Pick<
  ContentEntity,
  'contentId' | 'cloudId' | 'parentFolderId' | 'cid' | 'blobKey' | 'size' | 'state'
>;

/** A content before `recycleVisible` changed it. */
export type FoundContent = Pick<LockedContent, 'contentId' | 'cid' | 'size' | 'state'>;

/** Stores contents and changes their states: active, recycled, purged. */
@Injectable()
export class ContentRepository implements ContentSource {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async findActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOneBy(ContentEntity, { cloudId, contentId, state: ACTIVE });
  }

  /** Locks an active content until commit. */
  lockActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOne(ContentEntity, {
      where: { cloudId, contentId, state: ACTIVE },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Updates the fields that callers may change. Must be called in the transaction that locked the content. */
  async update(
    cloudId: string,
    contentId: string,
    changes: Pick<ContentEntity, 'name' | 'capturedAt' | 'updatedAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId }, changes);
  }

  /**
   * Locks the contents of the cloud with these ids, in any state and in id order.
   * @param contentIds in UUID form
   */
  async lock(cloudId: string, contentIds: readonly string[]): Promise<LockedContent[]> {
    return this.unitOfWork.manager.find(ContentEntity, {
      select: {
        contentId: true,
        cloudId: true,
        parentFolderId: true,
        cid: true,
        blobKey: true,
        size: true,
        state: true,
      },
      where: { cloudId, contentId: Any(contentIds) },
      order: { contentId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Returns the path of each folder. Paths are read in a separate statement, because a statement that waits for a
   * content's lock still sees the former folder of this content.
   */
  async findPaths(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderPath>> {
    const rows = await this.unitOfWork.manager.find(FolderEntity, {
      select: { folderId: true, pathIds: true },
      where: { cloudId, folderId: Any(folderIds) },
    });
    return new Map(rows.map(({ folderId, pathIds }) => [folderId, pathIds]));
  }

  /**
   * Locks the contents of the cloud with these ids, in any state and in id order, and moves the active and visible ones
   * to the recycle bin.
   * @param contentIds in UUID form
   * @returns all locked contents as they were before the update
   */
  async recycleVisible(
    cloudId: string,
    contentIds: readonly string[],
    { visibility, now }: { visibility: Visibility; now: number },
  ): Promise<FoundContent[]> {
    return this.unitOfWork.executor.query<FoundContent>(RECYCLE_VISIBLE, [
      cloudId,
      uuidArray(contentIds),
      now,
      now + RECYCLE_BIN_RETENTION_MS,
      ...visibilityParameters(visibility),
    ]);
  }

  /** Moves active contents to the recycle bin. Must be called in the transaction that locked the contents. */
  async recycle(cloudId: string, contentIds: readonly string[], now: number): Promise<void> {
    const changes = { state: RECYCLED, updatedAt: now, recycledAt: now, purgeAt: now + RECYCLE_BIN_RETENTION_MS };
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId: Any(contentIds) }, changes);
  }

  /** Restores recycled contents to one folder. Must be called in the transaction that locked the contents. */
  async restore(
    cloudId: string,
    contentIds: readonly string[],
    { parentFolderId, now }: { parentFolderId: string | null; now: number },
  ): Promise<void> {
    const changes = { state: ACTIVE, parentFolderId, updatedAt: now, recycledAt: null, purgeAt: null };
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId: Any(contentIds) }, changes);
  }

  /**
   * Purges recycled contents of any cloud: clears blob, name and digest. The ids of purged contents stay, so that a
   * repeated deletion or purge has the same result. Must be called in the transaction that locked the contents.
   */
  async purge(contentIds: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(PURGE_CONTENTS, [uuidArray(contentIds), now]);
  }

  listDigests(after: string | null): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(LIST_DIGESTS, [after, CONTENT_DIGEST_PAGE_SIZE]);
  }

  async listIds(cloudId: string, after: string | null): Promise<string[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(ContentEntity, 'content')
      .select('content.contentId', 'id')
      .where({ cloudId, state: ACTIVE, ...(after !== null && { contentId: MoreThan(after) }) })
      .orderBy('content.contentId')
      .limit(CONTENT_ID_PAGE_SIZE)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Returns one page of the active contents of a folder, in an order that is stable across pages. */
  findPage(folder: ListedFolder, order: ListingOrder): Promise<PresentedContent[]> {
    const { statement, parameters } = listContentsSql(folder, order);
    return this.unitOfWork.executor.query<PresentedContent>(statement, parameters);
  }

  async count(folder: ListedFolder): Promise<number> {
    const { statement, parameters } = countContentsSql(folder);
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(statement, parameters);
    return row?.count ?? 0;
  }
}
