import { Injectable } from '@nestjs/common';
import { Any, In } from 'typeorm';
import { BLOB_STATE, type BlobState } from '@family-watch/domain/family-cloud/contracts/blob';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { UploadWithFamily } from './upload.repository.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { UPLOAD_COLUMNS } from './upload-columns.js';

const LOCK_FOLDERS_FOR_SHARE = prepared(`
  SELECT catalog_id AS "folderId" FROM mcdisk.catalog
   WHERE catalog_id = ANY($1::uuid[]) AND state = 'ACTIVE' ORDER BY catalog_id FOR SHARE`);

const LOCK_UPLOADS_WITH_FAMILY = prepared(`
  SELECT ${UPLOAD_COLUMNS}, p.snapshot AS family
    FROM mcdisk.upload u JOIN mcdisk.family_projection p ON p.family_id = u.cloud_id
   WHERE u.content_id = ANY($1::uuid[]) ORDER BY u.content_id FOR UPDATE OF u`);

const LOCK_BLOBS = prepared(`
  SELECT b.blob_key AS "blobKey", b.cloud_id AS "cloudId", b.state, b.digest, b.size FROM mcdisk.blob b
   WHERE b.blob_key IN (
     SELECT unnest($1::uuid[])
     UNION ALL
     SELECT equal.blob_key FROM unnest($2::text[], $3::text[], $4::bigint[]) AS w (cloud_id, digest, size)
      CROSS JOIN LATERAL (
        SELECT e.blob_key FROM mcdisk.blob e
         WHERE e.cloud_id = w.cloud_id AND e.digest = w.digest AND e.size = w.size
           AND e.state IN ('LIVE', 'CONDEMNED')
         LIMIT 4) equal)
   ORDER BY b.blob_key FOR NO KEY UPDATE`);

const WRITE_CONTENTS = prepared(`
  WITH item AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::uuid[])
      AS item (content_id, blob_key, digest, type, media_type, cid, parent_catalog_id)
  ), decided AS (
    INSERT INTO mcdisk.blob (blob_key, cloud_id, state, size, digest, state_since)
    SELECT *, $8::bigint FROM unnest($9::uuid[], $10::text[], $11::text[], $12::bigint[], $13::text[])
    ON CONFLICT (blob_key) DO UPDATE
      SET state = excluded.state, state_since = excluded.state_since, size = excluded.size, digest = excluded.digest
  ), done AS (
    UPDATE mcdisk.upload u
       SET state = 'COMPLETE', digest = item.digest, blob_key = item.blob_key, completed_at = $8::bigint,
           received_size = u.size, lock_holder = NULL, lock_until = NULL, lock_wanted = false
      FROM item WHERE u.content_id = item.content_id
    RETURNING u.content_id, u.cloud_id, u.name, u.size, u.principal
  )
  INSERT INTO mcdisk.content (content_id, cloud_id, parent_catalog_id, cid, blob_key, name, size, digest, type,
                              media_type, uploader, state, created_at, updated_at)
  SELECT done.content_id, done.cloud_id, item.parent_catalog_id, item.cid, item.blob_key, done.name, done.size,
         item.digest, item.type, item.media_type, done.principal, 'ACTIVE', $8::bigint, $8::bigint
    FROM done JOIN item USING (content_id)`);

/** Locks the rows in id order before the update, because an UPDATE locks rows in an order that depends on its plan. */
const APPLY_USAGE = prepared(`
  WITH increase AS MATERIALIZED (
    SELECT c.cloud_id, g.bytes
      FROM mcdisk.family_cloud c JOIN unnest($1::text[], $2::bigint[]) AS g (cloud_id, bytes) USING (cloud_id)
     ORDER BY c.cloud_id FOR NO KEY UPDATE OF c)
  UPDATE mcdisk.family_cloud c
     SET reserved_size = c.reserved_size - increase.bytes, used_size = c.used_size + increase.bytes, updated_at = $3
    FROM increase WHERE c.cloud_id = increase.cloud_id`);

const LOCK_VISIBLE_DUPLICATES = `
  SELECT seen.digest, seen.size, seen.type, seen.media_type AS "mediaType", seen.shot_at AS "capturedAt",
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
   ORDER BY b.blob_key FOR NO KEY UPDATE OF b`;

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
