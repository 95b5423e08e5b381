import { Injectable } from '@nestjs/common';
import { Any, In } from 'typeorm';
import type { BlobState } from '@family-watch/domain/family-cloud/contracts/blob';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import {
  LOCK_FOLDERS_FOR_SHARE,
  LOCK_UPLOADS_WITH_FAMILY,
  LOCK_BLOBS,
  WRITE_CONTENTS,
  APPLY_USAGE,
  LOCK_VISIBLE_DUPLICATES,
} from './uploads.sql.js';
import type { UploadWithFamily } from './upload.repository.js';
import type { Visibility } from '../clouds/cloud-actor.js';
import { visibilityParameters } from '../clouds/visibility-condition.js';

/** Identifies the bytes of a blob within a family by digest and size. */
export type BlobFingerprint = Pick<ContentEntity, 'cloudId' | 'digest' | 'size'>;

/** A blob of a cloud whose row is locked. */
export type LockedBlob = Pick<BlobEntity, 'blobKey' | 'state' | 'digest' | 'size'> & { cloudId: string };

/** The new state of a blob, to be written at the commit. */
export interface BlobStateChange extends BlobFingerprint {
  blobKey: string;
  state: BlobState;
}

/** The fields of a new content that are not in the row of its upload. */
export type NewContent = Pick<
  ContentEntity,
  'contentId' | 'digest' | 'type' | 'mediaType' | 'cid' | 'parentFolderId'
> & { blobKey: string };

/** Bytes added to one cloud. */
export interface CloudUsageIncrease {
  cloudId: string;
  bytes: number;
}

/** The properties that a new content copies from a content with the same bytes. */
export type DuplicateContent = Pick<ContentEntity, 'digest' | 'size' | 'type' | 'mediaType' | 'capturedAt'> & {
  blobKey: string;
};

/**
 * Commits many finished uploads in a few statements. The methods must be called in the order in which they are
 * declared, in one transaction.
 */
@Injectable()
export class UploadCommitRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns which of the folders are active, and locks them for share until the transaction ends. */
  async lockFoldersForShare(folderIds: readonly string[]): Promise<Set<string>> {
    if (folderIds.length === 0) return new Set();
    const rows = await this.unitOfWork.executor.query<{ folderId: string }>(LOCK_FOLDERS_FOR_SHARE, [folderIds]);
    return new Set(rows.map(({ folderId }) => folderId));
  }

  /** Locks uploads in id order and returns them with their families. */
  lockUploads(contentIds: readonly string[]): Promise<UploadWithFamily[]> {
    return this.unitOfWork.executor.query<UploadWithFamily>(LOCK_UPLOADS_WITH_FAMILY, [contentIds]);
  }

  /** Locks, in key order, the given blobs and the blobs with the same clouds and bytes as the fingerprints. */
  lockBlobs(blobKeys: readonly string[], fingerprints: readonly BlobFingerprint[]): Promise<LockedBlob[]> {
    return this.unitOfWork.executor.query<LockedBlob>(LOCK_BLOBS, [
      blobKeys,
      ...columnsOf(fingerprints, 'cloudId', 'digest', 'size'),
    ]);
  }

  /** Writes the contents and the new states of blobs. `lockUploads` must have locked the uploads. */
  async writeContents(contents: readonly NewContent[], blobs: readonly BlobStateChange[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(WRITE_CONTENTS, [
      ...columnsOf(contents, 'contentId', 'blobKey', 'digest', 'type', 'mediaType', 'cid', 'parentFolderId'),
      now,
      ...columnsOf(blobs, 'blobKey', 'cloudId', 'state', 'size', 'digest'),
    ]);
  }

  /** Moves bytes from the reserved to the used quota of clouds. Locks the clouds' rows in id order. */
  async applyUsage(increases: readonly CloudUsageIncrease[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(APPLY_USAGE, [...columnsOf(increases, 'cloudId', 'bytes'), now]);
  }

  /**
   * Returns one visible, active content for each digest and size. Locks the blobs of these contents in key order until
   * the transaction ends.
   */
  async lockVisibleDuplicates(
    cloudId: string,
    visibility: Visibility,
    fingerprints: readonly { digest: string; size: number }[],
  ): Promise<DuplicateContent[]> {
    return this.unitOfWork.executor.query<DuplicateContent>(LOCK_VISIBLE_DUPLICATES, [
      cloudId,
      ...columnsOf(fingerprints, 'digest', 'size'),
      ...visibilityParameters(visibility),
    ]);
  }

  /**
   * Makes blobs in state CONDEMNED, which garbage collection would delete, live again. The caller must have locked
   * these blobs with `lockVisibleDuplicates`.
   */
  async makeLive(cloudId: string, blobKeys: readonly string[], now: number): Promise<void> {
    await this.unitOfWork.manager.update(
      BlobEntity,
      { cloudId, blobKey: Any(blobKeys), state: BLOB_STATE.CONDEMNED },
      { state: BLOB_STATE.LIVE, stateSince: now },
    );
  }

  async insertContents(contents: readonly ContentEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(ContentEntity, [...contents]);
  }

  /**
   * Changes all contents that refer to the lost blob to refer to another blob with the same bytes. Must be called in a
   * separate transaction. Clears the digest of the lost blob, so that no upload is deduplicated to it.
   * @param now Unix milliseconds
   */
  async replaceReferences(
    lostKey: string,
    newKey: string,
    { cloudId, digest, size }: BlobFingerprint,
    now: number,
  ): Promise<void> {
    const { manager } = this.unitOfWork;
    await manager.find(ContentEntity, {
      select: { contentId: true },
      where: { cloudId, blobKey: lostKey },
      order: { contentId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    await manager.find(BlobEntity, {
      select: { blobKey: true },
      where: { blobKey: In([lostKey, newKey]) },
      order: { blobKey: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    // upsert() would also set the key column. PostgreSQL would then lock the row of an existing blob against new
    // references.
    await manager
      .createQueryBuilder()
      .insert()
      .into(BlobEntity)
      .values({ blobKey: newKey, cloudId, state: BLOB_STATE.LIVE, size, digest, stateSince: now })
      .orUpdate(['state', 'state_since', 'size', 'digest'], ['blob_key'])
      .execute();
    await manager.update(ContentEntity, { cloudId, blobKey: lostKey }, { blobKey: newKey });
    await manager.update(BlobEntity, { blobKey: lostKey }, { digest: null });
  }
}
