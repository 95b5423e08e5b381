import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { ExportArchiveEntity } from '@family-watch/domain/family-cloud/entities/export-archive.entity';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { PRESENTED_COLUMNS, type PresentedContent } from '../../clouds/content-columns.js';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import type { StagedBlob } from '../../storage/blobs/blob-store.js';

/**
 * Each MiB of an archive counts as a second that the request came later, so that a small archive does not wait for a
 * large one, and no archive waits for all smaller ones. Returns the key of the bytes that an earlier process may have
 * staged.
 */
const CLAIM_ARCHIVE = `
  WITH due AS (
    SELECT export_id, staged_key FROM mcdisk.export_archive
     WHERE blob_key IS NULL AND due_at <= $1
     ORDER BY coalesce(requested_at, due_at) + coalesce(expected_size, 0) / 1024, export_id
     LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE mcdisk.export_archive archive SET due_at = $2, staged_key = $3, attempts = archive.attempts + 1
    FROM due WHERE archive.export_id = due.export_id
  RETURNING archive.export_id AS "exportId", archive.user_id AS "userId", archive.attempts,
            archive.expected_size AS "expectedSize", due.staged_key AS "previousKey"`;

/**
 * Archives that are being assembled count with their expected size, and so does the one that was requested first, if it
 * was before this one and has waited since $2: space for it is kept free.
 */
const SUM_OTHER_ARCHIVES = `
  SELECT coalesce(sum(coalesce(blob.size, archive.expected_size)), 0)::bigint AS bytes
    FROM mcdisk.export_archive archive LEFT JOIN mcdisk.blob blob ON blob.blob_key = archive.blob_key
   WHERE archive.export_id <> $1
     AND (archive.blob_key IS NOT NULL OR archive.staged_key IS NOT NULL
          OR archive.export_id = (
               SELECT export_id FROM mcdisk.export_archive waiting
                WHERE waiting.blob_key IS NULL AND waiting.staged_key IS NULL
                  AND waiting.requested_at
                      < least($2, (SELECT requested_at FROM mcdisk.export_archive WHERE export_id = $1))
                ORDER BY waiting.requested_at, export_id LIMIT 1))`;

/** Skips rows that another transaction has locked, so that two transactions do not wait for each other. */
const WAKE_POSTPONED = `
  UPDATE mcdisk.export_archive SET due_at = $1
   WHERE export_id IN (SELECT export_id FROM mcdisk.export_archive
                        WHERE blob_key IS NULL AND staged_key IS NULL AND attempts = 0 AND due_at > $1
                          FOR UPDATE SKIP LOCKED)`;

/** A copied file counts once. */
const SUM_VISIBLE_FILES = `
  SELECT coalesce(sum(size), 0)::bigint AS bytes
    FROM (SELECT max(size) AS size FROM mcdisk.content
           WHERE cloud_id = $1 AND state = 'ACTIVE' AND ${visibilityCondition('cid', 2)} GROUP BY blob_key) file`;

const LIST_VISIBLE_CONTENTS = `
  SELECT ${PRESENTED_COLUMNS}, cid, media_type AS "mediaType" FROM mcdisk.content
   WHERE cloud_id = $1 AND state = 'ACTIVE' AND ${visibilityCondition('cid', 2)} AND (blob_key, content_id) > ($4, $5)
     AND blob_key IS NOT NULL
   ORDER BY blob_key, content_id LIMIT $6`;

/** A claim of one process to assemble an archive. */
export interface ArchiveClaim {
  exportId: string;
  userId: string;
  attempts: number;
  /** Bytes that the archive is known to need at least; null if they could not be determined. */
  expectedSize: number | null;
  /** Key of the bytes that an earlier process has staged, or null. */
  previousKey: string | null;
  stagedKey: string;
}

/** A complete archive with the properties of its bytes. */
export interface CompleteArchive {
  exportId: string;
  userId: string;
  blobKey: string;
  completedAt: number;
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
}

export type ExportedContent = PresentedContent & { blobKey: string; cid: string | null; mediaType: string };

/** Position in the contents of a cloud, which are read in the order of their blobs. */
export type ContentPosition = Pick<ExportedContent, 'blobKey' | 'contentId'>;

/** Stores the archives of exports. Times are Unix milliseconds. */
@Injectable()
export class ExportArchiveRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insert(exportId: string, userId: string, now: number): Promise<void> {
    await insertIfAbsent(this.archives, { exportId, userId, requestedAt: now, dueAt: now });
  }

  /** Returns archives whose expected size has not been determined. */
  findUnmeasured(limit: number): Promise<Pick<ExportArchiveEntity, 'exportId' | 'userId'>[]> {
    const where = { expectedSize: IsNull(), blobKey: IsNull() };
    return this.archives.find({ select: { exportId: true, userId: true }, where, take: limit });
  }

  async setExpectedSize(exportId: string, expectedSize: number): Promise<void> {
    await this.archives.update({ exportId }, { expectedSize });
  }

  /** Returns the bytes of the files that the actor may see, each copied file counted once. */
  async sumVisibleFiles({ cloudId, visibility }: CloudActor): Promise<number> {
    const parameters = [cloudId, ...visibilityParameters(visibility)];
    const [row] = await this.unitOfWork.executor.query<{ bytes: number }>(SUM_VISIBLE_FILES, parameters);
    return row?.bytes ?? 0;
  }

  /** Claims the next archive that is due, until `claimedUntil`. A small one precedes a large one that was requested shortly before. */
  async claim(now: number, claimedUntil: number, stagedKey: string): Promise<ArchiveClaim | undefined> {
    const [row] = await this.unitOfWork.executor.query<Omit<ArchiveClaim, 'stagedKey'>>(CLAIM_ARCHIVE, [
      now,
      claimedUntil,
      stagedKey,
    ]);
    return row && { ...row, stagedKey };
  }

  /** Moves the due time of a claimed archive. Returns false if the claim or the export has ended. */
  async moveDueTime({ exportId, stagedKey }: ArchiveClaim, dueAt: number): Promise<boolean> {
    const { affected } = await this.archives.update({ exportId, stagedKey }, { dueAt });
    return affected === 1;
  }

  /** Ends a claim whose process stops; the attempt does not count. */
  async release({ exportId, stagedKey, attempts }: ArchiveClaim, dueAt: number): Promise<void> {
    await this.archives.update({ exportId, stagedKey }, { dueAt, attempts: attempts - 1 });
  }

  /** Ends a claim for which there is no space; the attempt does not count. Returns false if the claim or the export has ended. */
  async postpone(claim: ArchiveClaim, dueAt: number, expectedSize: number): Promise<boolean> {
    const { exportId, stagedKey, attempts } = claim;
    const changes = { dueAt, expectedSize, stagedKey: null, attempts: attempts - 1 };
    const { affected } = await this.archives.update({ exportId, stagedKey }, changes);
    return affected === 1;
  }

  /** Makes postponed archives due, because space became available. */
  async wakePostponed(now: number): Promise<void> {
    await this.unitOfWork.executor.query(WAKE_POSTPONED, [now]);
  }

  /**
   * Adds the blob of a claimed archive. Must be called in a transaction, which must be rolled back if the result is false:
   * the claim or the export has ended.
   */
  async complete({ exportId, stagedKey }: ArchiveClaim, { size, digest }: StagedBlob, now: number): Promise<boolean> {
    await this.unitOfWork.manager.insert(BlobEntity, {
      blobKey: stagedKey,
      cloudId: null,
      state: BLOB_STATE.LIVE,
      stateSince: now,
      size,
      digest,
    });
    const { affected } = await this.archives.update(
      { exportId, stagedKey },
      { blobKey: stagedKey, stagedKey: null, completedAt: now },
    );
    return affected === 1;
  }

  /** Returns whether the bytes that were staged for this claim are the archive. */
  isComplete({ exportId, stagedKey }: ArchiveClaim): Promise<boolean> {
    return this.archives.existsBy({ exportId, blobKey: stagedKey });
  }

  /** Deletes the row of a claimed archive. Returns false if the claim or the export has ended. */
  async deleteClaimed({ exportId, stagedKey }: ArchiveClaim): Promise<boolean> {
    const { affected } = await this.archives.delete({ exportId, stagedKey });
    return affected === 1;
  }

  /** Locks the archive, or the archives of a person. */
  lock(where: { exportId: string } | { userId: string }): Promise<ExportArchiveEntity[]> {
    return this.archives.find({ where, order: { exportId: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  async delete(exportId: string): Promise<void> {
    await this.archives.delete({ exportId });
  }

  async findComplete(exportId: string, userId: string): Promise<CompleteArchive | undefined> {
    const archive = await this.archives.findOneBy({ exportId, userId, blobKey: Not(IsNull()) });
    const { blobKey, completedAt } = archive ?? {};
    if (!blobKey || !completedAt) return undefined;
    const blob = await this.unitOfWork.manager.findOneBy(BlobEntity, { blobKey, state: BLOB_STATE.LIVE });
    const { size, digest } = blob ?? {};
    if (typeof size !== 'number' || typeof digest !== 'string') return undefined;
    return { exportId, userId, blobKey, completedAt, size, digest };
  }

  /**
   * Returns the bytes that other archives occupy, or are expected to occupy when they are complete, and those that
   * the first archive needs, if it has waited since `waitingSince`.
   */
  async sumSizesExcept(exportId: string, waitingSince: number): Promise<number> {
    const parameters = [exportId, waitingSince];
    const [row] = await this.unitOfWork.executor.query<{ bytes: number }>(SUM_OTHER_ARCHIVES, parameters);
    return row?.bytes ?? 0;
  }

  /** Returns active contents that the actor may see. Copies of a file follow each other. */
  findContents({ cloudId, visibility }: CloudActor, after: ContentPosition, limit: number): Promise<ExportedContent[]> {
    return this.unitOfWork.executor.query<ExportedContent>(LIST_VISIBLE_CONTENTS, [
      cloudId,
      ...visibilityParameters(visibility),
      after.blobKey,
      after.contentId,
      limit,
    ]);
  }

  findFolders(cloudId: string): Promise<FolderEntity[]> {
    return this.unitOfWork.manager.findBy(FolderEntity, { cloudId });
  }

  private get archives() {
    return this.unitOfWork.manager.getRepository(ExportArchiveEntity);
  }
}
