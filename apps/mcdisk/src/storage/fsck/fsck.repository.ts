import { In, LessThan, MoreThan } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import type { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { FINDING, type Finding, type FindingKind } from './fsck-report.js';
import { isReferencedSql } from '../blobs/blob.sql.js';

/** Selects the stored usage counters of each cloud, and the usage computed from its contents and uploads. */
const ACTUAL_USAGE_SQL = `
  SELECT c.cloud_id, c.used_size, c.recycle_size, c.reserved_size, c.content_count,
         ((SELECT count(*) FROM mcdisk.content WHERE cloud_id = c.cloud_id AND state <> 'PURGED')
          + (SELECT count(*) FROM mcdisk.upload
              WHERE cloud_id = c.cloud_id AND state IN ('PENDING', 'RECEIVING')))::integer AS contents,
         coalesce((SELECT sum(size) FROM mcdisk.content
                    WHERE cloud_id = c.cloud_id AND state = 'ACTIVE'), 0)::bigint AS used,
         coalesce((SELECT sum(size) FROM mcdisk.content
                    WHERE cloud_id = c.cloud_id AND state = 'RECYCLED'), 0)::bigint AS recycled,
         coalesce((SELECT sum(size) FROM mcdisk.upload
                    WHERE cloud_id = c.cloud_id AND state IN ('PENDING', 'RECEIVING')), 0)::bigint AS reserved
    FROM mcdisk.family_cloud c`;

/** Each check compares tables in one snapshot of the database. */
const CONSISTENCY_CHECKS: Partial<Record<FindingKind, string>> = {
  [FINDING.CONTENT_WITHOUT_BLOB]: `
    SELECT c.content_id AS subject, 'blob ' || b.blob_key || ' is ' || b.state AS detail
      FROM mcdisk.content c JOIN mcdisk.blob b ON b.blob_key = c.blob_key
     WHERE c.state <> 'PURGED' AND (b.state NOT IN ('LIVE', 'CONDEMNED') OR b.cloud_id IS DISTINCT FROM c.cloud_id)
    UNION ALL
    SELECT f.image_id, 'blob ' || b.blob_key || ' of this firmware image is ' || b.state
      FROM mcdisk.firmware_image f JOIN mcdisk.blob b ON b.blob_key = f.blob_key
     WHERE b.state NOT IN ('LIVE', 'CONDEMNED')
    UNION ALL
    SELECT e.export_id, 'blob ' || b.blob_key || ' of this export is ' || b.state
      FROM mcdisk.export_archive e JOIN mcdisk.blob b ON b.blob_key = e.blob_key
     WHERE b.state NOT IN ('LIVE', 'CONDEMNED')`,
  [FINDING.CATALOG_CHAIN]: `
    SELECT k.catalog_id AS subject, 'its path does not match that of its parent folder' AS detail
      FROM mcdisk.catalog k LEFT JOIN mcdisk.catalog p ON p.catalog_id = k.parent_catalog_id
     WHERE k.chain <> coalesce(p.chain, '{}') || k.catalog_id OR k.cloud_id <> coalesce(p.cloud_id, k.cloud_id)
    UNION ALL
    SELECT c.content_id, 'its folder belongs to another cloud'
      FROM mcdisk.content c JOIN mcdisk.catalog k ON k.catalog_id = c.parent_catalog_id
     WHERE c.cloud_id <> k.cloud_id`,
  [FINDING.QUOTA]: `
    SELECT cloud_id AS subject,
           format('used %s, expected %s; recycled %s, expected %s; reserved %s, expected %s; contents %s, expected %s', used_size, used,
                  recycle_size, recycled, reserved_size, reserved, content_count, contents) AS detail
      FROM (${ACTUAL_USAGE_SQL}) s
     WHERE (used_size, recycle_size, reserved_size, content_count) <> (used, recycled, reserved, contents)`,
  [FINDING.RENDITION]: `
    SELECT r.source_key AS subject, r.kind || ': its source is ' || s.state || ', its bytes are ' || b.state AS detail
      FROM mcdisk.rendition r
      JOIN mcdisk.blob s ON s.blob_key = r.source_key JOIN mcdisk.blob b ON b.blob_key = r.blob_key
     WHERE r.state = 'READY' AND (s.state NOT IN ('LIVE', 'CONDEMNED') OR b.state NOT IN ('LIVE', 'CONDEMNED'))`,
};

const FIND_STUCK = `
  SELECT b.blob_key AS subject, b.state, 'since ' || to_timestamp(b.state_since / 1000) AS detail
    FROM mcdisk.blob b
   WHERE b.state_since < $1
     AND (b.state = 'DELETING' OR (b.state = 'STAGED' AND NOT ${isReferencedSql('b')}))`;

const COUNT_CONTENTS_OF_EXPECTED_BLOBS = `
  SELECT b.blob_key AS key,
         (SELECT count(*) FROM mcdisk.content c
           WHERE c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key AND c.state <> 'PURGED')
         + (SELECT count(*) FROM mcdisk.firmware_image f WHERE f.blob_key = b.blob_key)
         + (SELECT count(*) FROM mcdisk.export_archive e WHERE e.blob_key = b.blob_key) AS contents
    FROM mcdisk.blob b WHERE b.blob_key = ANY ($1::uuid[]) AND b.state IN ('LIVE', 'CONDEMNED')`;

const FIND_NEWEST_CHANGE_TIME = `
  SELECT greatest((SELECT max(state_since) FROM mcdisk.blob), (SELECT max(marked_at) FROM mcdisk.store_mark), 0)
         AS newest`;

const CORRECT_QUOTA = `
  UPDATE mcdisk.family_cloud cloud
     SET used_size = s.used, recycle_size = s.recycled, reserved_size = s.reserved, content_count = s.contents
    FROM (${ACTUAL_USAGE_SQL} WHERE c.cloud_id = $1) s WHERE cloud.cloud_id = s.cloud_id`;

const DELETE_RENDITION_OF_DELETED_SOURCE = `
  DELETE FROM mcdisk.rendition r USING mcdisk.blob s
   WHERE r.source_key = $1 AND s.blob_key = r.source_key AND s.state IN ('DELETING', 'GONE')`;

const REQUEUE_RENDITION_WITHOUT_BYTES = `
  UPDATE mcdisk.rendition r SET state = 'WAITING', blob_key = NULL, attempts = 0, due_at = $2
    FROM mcdisk.blob b
   WHERE r.source_key = $1 AND r.state = 'READY' AND b.blob_key = r.blob_key
     AND b.state NOT IN ('LIVE', 'CONDEMNED')`;

const ABANDON_STAGED_IF_UNREFERENCED = `
  UPDATE mcdisk.blob b SET state = 'DELETING', state_since = $2
   WHERE b.blob_key = $1 AND b.state = 'STAGED' AND NOT ${isReferencedSql('b')} RETURNING b.blob_key`;

const { LIVE, CONDEMNED, DELETING } = BLOB_STATE;

/** A blob whose bytes must be in the store. */
export interface ExpectedBlob {
  key: string;
  /** Bytes, or -1 for blobs that were stored before the column existed. */
  size: number;
  /** SHA-256, lower-case hex, or `null` for blobs that were stored before the column existed. */
  digest: string | null;
}

/** Result row of a check: the subject and the detail of a finding. */
interface FindingRow {
  subject: string;
  detail: string;
}

/** Finds and corrects inconsistent rows of all clouds. */
export class FsckRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Runs the checks that need only the database. Each check is one statement and sees one snapshot of the database, so
   * concurrent changes cause no findings.
   */
  async findInconsistencies(): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const [kind, sql] of Object.entries(CONSISTENCY_CHECKS)) {
      const rows = await this.unitOfWork.executor.query<FindingRow>(sql);
      findings.push(...rows.map((row) => ({ ...row, kind: kind as FindingKind, repaired: false })));
    }
    return findings;
  }

  /**
   * Finds staged blobs without a reference and unfinished deletions.
   * @param before Unix milliseconds; work that began later may still be in progress and is not returned
   */
  async findStuck(before: number): Promise<Finding[]> {
    const rows = await this.unitOfWork.executor.query<FindingRow & { state: string }>(FIND_STUCK, [before]);
    return rows.map(({ subject, state, detail }) => ({
      kind: state === 'STAGED' ? FINDING.STUCK_STAGED : FINDING.STUCK_DELETING,
      subject,
      detail,
      repaired: false,
    }));
  }

  /** Lists, in key order, the blobs whose bytes must have been in the store since before the time `before`. */
  async findExpectedBlobs(after: string, before: number, limit: number): Promise<ExpectedBlob[]> {
    const blobs = await this.unitOfWork.manager.find(BlobEntity, {
      select: { blobKey: true, size: true, digest: true },
      where: { blobKey: MoreThan(after), state: In([LIVE, CONDEMNED]), stateSince: LessThan(before) },
      order: { blobKey: 'ASC' },
      take: limit,
    });
    return blobs.map(({ blobKey, size, digest }) => ({ key: blobKey, size: size ?? -1, digest }));
  }

  /**
   * Returns the keys of those blobs that must still be in the store, with the number of contents and firmware
   * images of each blob.
   */
  async findStillExpectedKeys(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.unitOfWork.executor.query<{ key: string; contents: number }>(
      COUNT_CONTENTS_OF_EXPECTED_BLOBS,
      [uuidArray(keys)],
    );
    return new Map(rows.map(({ key, contents }) => [key, contents]));
  }

  /** Returns the time of the newest change in the database, Unix milliseconds. */
  async findNewestChangeTime(): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ newest: number }>(FIND_NEWEST_CHANGE_TIME);
    return row?.newest ?? 0;
  }

  /**
   * Sets the usage counters of a cloud to the sums over its contents and uploads. Locks the cloud's row first. Every
   * transaction that changes the usage of a cloud locks the cloud's row, so the sums include only committed changes.
   */
  async correctQuota(cloudId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      await new CloudRepository(this.unitOfWork).lock(cloudId);
      await this.unitOfWork.executor.query(CORRECT_QUOTA, [cloudId]);
    });
  }

  /** Deletes the rendition when its source is deleted, and requeues the rendition when its own bytes are lost. */
  async correctRendition(sourceKey: string, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { executor } = this.unitOfWork;
      await executor.query(DELETE_RENDITION_OF_DELETED_SOURCE, [sourceKey]);
      await executor.query(REQUEUE_RENDITION_WITHOUT_BYTES, [sourceKey, now]);
    });
  }

  /** Changes a staged blob to DELETING. Returns false when the blob has been referenced since the check. */
  async abandonStaged(key: string, now: number): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(ABANDON_STAGED_IF_UNREFERENCED, [key, now]);
    return rows.length > 0;
  }

  isDeleting(key: string): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(BlobEntity, { blobKey: key, state: DELETING });
  }
}
