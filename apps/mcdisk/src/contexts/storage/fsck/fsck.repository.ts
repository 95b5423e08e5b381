import { In, LessThan, MoreThan } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import type { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { FINDING } from './fsck-report.js';
import type { Finding, FindingKind } from './fsck-report.js';
import {
  CONSISTENCY_CHECKS,
  FIND_STUCK,
  COUNT_CONTENTS_OF_EXPECTED_BLOBS,
  FIND_NEWEST_CHANGE_TIME,
  CORRECT_QUOTA,
  DELETE_RENDITION_OF_DELETED_SOURCE,
  REQUEUE_RENDITION_WITHOUT_BYTES,
  ABANDON_STAGED_IF_UNREFERENCED,
} from './fsck.sql.js';

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
