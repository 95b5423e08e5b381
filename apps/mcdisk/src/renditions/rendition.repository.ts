import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, MoreThanOrEqual } from 'typeorm';
import {
  BLOB_STATE,
  RENDITION_STATE,
  type RenditionKind,
  type RenditionState,
} from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity, RenditionEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import {
  MAX_ATTEMPTS,
  type RenditionNotApplicable,
  type ReadyRendition,
  type Rendition,
  type RenditionLease,
} from './rendition-plan.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** Selects ready renditions, and the original of a shared file that needs no rendition. */
const FIND_READY_RENDITIONS = prepared(`
  SELECT r.source_key AS "sourceKey",
         CASE r.state WHEN 'READY' THEN r.blob_key ELSE r.source_key END AS "blobKey",
         r.media_type AS "mediaType",
         CASE r.state WHEN 'READY' THEN r.size ELSE s.size END AS size,
         CASE r.state WHEN 'READY' THEN r.digest ELSE s.digest END AS digest
    FROM mcdisk.rendition r JOIN mcdisk.blob s ON s.blob_key = r.source_key
   WHERE r.source_key = ANY ($1::uuid[]) AND r.kind = $2
     AND (r.state = 'READY' OR (r.state = 'NONE' AND r.kind = 'SHARED'))`);

const REQUEST_RENDITIONS = prepared(`
  INSERT INTO mcdisk.rendition (source_key, cloud_id, kind, state, due_at)
  SELECT blob_key, cloud_id, $2, 'WAITING', $3 FROM mcdisk.blob
   WHERE blob_key = ANY ($1::uuid[]) AND state IN ('LIVE', 'CONDEMNED') ORDER BY blob_key
      ON CONFLICT (source_key, kind) DO UPDATE SET due_at = least(rendition.due_at, excluded.due_at)
   WHERE rendition.state = 'WAITING' AND rendition.lease_holder IS NULL AND rendition.attempts = 0
     AND rendition.due_at > excluded.due_at`);

const FIND_RENDITION_STATE = prepared(`
  SELECT state, cloud_id AS "cloudId" FROM mcdisk.rendition WHERE source_key = $1 AND kind = $2`);

const LOCK_CONTENTS_WITHOUT_CAPTURE_TIME = `
  SELECT FROM mcdisk.content c JOIN mcdisk.blob b ON b.cloud_id = c.cloud_id AND b.blob_key = c.blob_key
   WHERE b.blob_key = $1 AND c.shot_at IS NULL ORDER BY c.content_id FOR NO KEY UPDATE OF c`;

const SET_CAPTURE_TIME = `
  UPDATE mcdisk.content c SET shot_at = $2 FROM mcdisk.blob b
   WHERE b.blob_key = $1 AND c.cloud_id = b.cloud_id AND c.blob_key = b.blob_key AND c.shot_at IS NULL`;

const COPY_CAPTURE_TIMES = prepared(`
  UPDATE mcdisk.content c SET shot_at = r.shot_at FROM mcdisk.rendition r
   WHERE c.content_id = ANY ($1::uuid[]) AND c.shot_at IS NULL
     AND r.source_key = c.blob_key AND r.kind = 'THUMBNAIL' AND r.shot_at IS NOT NULL`);

/**
 * Selects the first due rendition of the next cloud with due renditions. Skips renditions that have used all their
 * attempts, because `failExhausted` marks these renditions as failed.
 */
function firstDueSql(dueCondition: string, cloudCondition: string): string {
  return `
    SELECT * FROM (SELECT source_key, kind FROM mcdisk.rendition
                    WHERE state = 'WAITING' AND attempts < ${MAX_ATTEMPTS} AND ${dueCondition} AND ${cloudCondition}
                    ORDER BY cloud_id, due_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS first`;
}

/**
 * Claims the next due rendition. Clouds take turns in id order, and renditions that a caller waits for come first. The
 * four subqueries are evaluated only until one of them returns a row. If the rendition still has a holder, this holder
 * has crashed or exceeded its lease; the reference to the holder's staged blob is removed.
 */
const CLAIM_RENDITION = prepared(`
  UPDATE mcdisk.rendition r
     SET lease_holder = $2, attempts = r.attempts + 1, blob_key = NULL,
         due_at = $1 + $3::bigint + coalesce(s.size, 0) / $4::bigint
    FROM mcdisk.blob s
   WHERE s.blob_key = r.source_key AND (r.source_key, r.kind) = (
     ${['due_at = 0', 'due_at <= $1'].flatMap((due) => [firstDueSql(due, 'cloud_id > $5'), firstDueSql(due, 'cloud_id <= $5')]).join(' UNION ALL ')}
     LIMIT 1)
  RETURNING r.source_key AS "sourceKey", r.kind, r.attempts, r.lease_holder AS "holder", r.cloud_id AS "cloudId", s.size`);

const { WAITING, FAILED } = RENDITION_STATE;

const NULL_BLOB_COLUMNS = { size: null, digest: null, width: null, height: null, blobKey: null };

/**
 * Stores the requested and generated renditions of blobs. Renditions belong to no family; callers check access to the
 * source instead.
 */
@Injectable()
export class RenditionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns ready renditions by the key of the source; sources without a ready rendition are omitted. */
  async findReady(sourceKeys: readonly string[], kind: RenditionKind): Promise<Map<string, Rendition>> {
    const rows = await this.unitOfWork.executor.query<Rendition & { sourceKey: string }>(FIND_READY_RENDITIONS, [
      sourceKeys,
      kind,
    ]);
    return new Map(rows.map(({ sourceKey, ...rendition }) => [sourceKey, rendition]));
  }

  /** Returns `undefined` when the rendition was not requested. */
  async findState(
    sourceKey: string,
    kind: RenditionKind,
  ): Promise<{ state: RenditionState; cloudId: string } | undefined> {
    const [row] = await this.unitOfWork.executor.query<{ state: RenditionState; cloudId: string }>(
      FIND_RENDITION_STATE,
      [sourceKey, kind],
    );
    return row;
  }

  /**
   * Requests renditions. The due time of a rendition that is already requested can only become earlier; after a failed
   * attempt the due time is unchanged.
   * @param dueAt Unix milliseconds, or 0 for renditions that a caller waits for
   */
  async request(sourceKeys: readonly string[], kind: RenditionKind, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(REQUEST_RENDITIONS, [sourceKeys, kind, dueAt]);
  }

  /**
   * Claims a due rendition exclusively until the lease expires.
   * @param now Unix milliseconds
   * @param afterCloudId id of the cloud whose rendition was claimed last
   * @param lease duration of the lease, which is `ms` milliseconds plus one for each `bytesPerMs` bytes of the source
   */
  async claim(
    now: number,
    { holder, afterCloudId }: { holder: string; afterCloudId: string },
    lease: { ms: number; bytesPerMs: number },
  ): Promise<RenditionLease | undefined> {
    const parameters = [now, holder, lease.ms, lease.bytesPerMs, afterCloudId];
    const [row] = await this.unitOfWork.executor.query<RenditionLease>(CLAIM_RENDITION, parameters);
    return row;
  }

  /** Marks renditions as failed that have used all their attempts because each attempt crashed its process. */
  async failExhausted(now: number): Promise<number> {
    const { affected } = await this.unitOfWork.manager.update(
      RenditionEntity,
      { state: WAITING, dueAt: LessThanOrEqual(now), attempts: MoreThanOrEqual(MAX_ATTEMPTS) },
      { state: FAILED, blobKey: null, leaseHolder: null },
    );
    return affected ?? 0;
  }

  /** Creates a staged blob for the rendition. Returns false when the lease has expired. */
  async stage(lease: RenditionLease, blobKey: string, now: number): Promise<boolean> {
    const blob = { blobKey, cloudId: lease.cloudId, state: BLOB_STATE.STAGED, stateSince: now };
    await this.unitOfWork.manager.insert(BlobEntity, blob);
    return this.updateLeased(lease, { blobKey });
  }

  /**
   * Completes the lease. A generated blob becomes LIVE without a digest, so that it is not shared with an upload of the
   * same bytes. Locks the row of the source, and then the row of the generated blob.
   * @returns false when the lease has expired, or the source or the blob was deleted
   */
  async complete(
    lease: RenditionLease,
    result: ReadyRendition | RenditionNotApplicable,
    now: number,
  ): Promise<boolean> {
    const isReady = result.state === RENDITION_STATE.READY;
    if (isReady && !(await this.makeBlobLive(lease.sourceKey, result, now))) return false;
    const { size, digest, width, height, blobKey } = isReady ? result : NULL_BLOB_COLUMNS;
    const { state, mediaType, capturedAt } = result;
    const changes = { state, blobKey, mediaType, size, digest, width, height, capturedAt, leaseHolder: null };
    return this.updateLeased(lease, changes);
  }

  /**
   * Releases the lease and schedules the next attempt.
   * @param isCounted whether this attempt counts towards the limit of attempts
   */
  async requeue(lease: RenditionLease, dueAt: number, isCounted: boolean): Promise<void> {
    const attempts = isCounted ? lease.attempts : lease.attempts - 1;
    await this.updateLeased(lease, { leaseHolder: null, blobKey: null, dueAt, attempts });
  }

  /** Returns whether the blob belongs to a ready rendition. */
  isReadyRendition(blobKey: string): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(RenditionEntity, { blobKey, state: RENDITION_STATE.READY });
  }

  /**
   * Locks, in id order, the contents of the blob that have no capture time. Must be called before the blob is locked.
   */
  async lockContentsWithoutCaptureTime(blobKey: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_CONTENTS_WITHOUT_CAPTURE_TIME, [blobKey]);
  }

  /** @param capturedAt Unix milliseconds */
  async setCaptureTimeOfContents(blobKey: string, capturedAt: number): Promise<void> {
    await this.unitOfWork.executor.query(SET_CAPTURE_TIME, [blobKey, capturedAt]);
  }

  /** Copies to new contents the capture times that were already determined for their blobs. */
  async copyCaptureTimes(contentIds: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(COPY_CAPTURE_TIMES, [contentIds]);
  }

  private async makeBlobLive(sourceKey: string, { blobKey, size }: ReadyRendition, now: number): Promise<boolean> {
    const { manager } = this.unitOfWork;
    const source = await manager.findOne(BlobEntity, {
      select: { blobKey: true },
      where: { blobKey: sourceKey, state: In([BLOB_STATE.LIVE, BLOB_STATE.CONDEMNED]) },
      lock: { mode: 'for_no_key_update' },
    });
    const changes = { state: BLOB_STATE.LIVE, stateSince: now, size };
    const { affected } = await manager.update(BlobEntity, { blobKey, state: BLOB_STATE.STAGED }, changes);
    return source !== null && affected === 1;
  }

  /** Updates a rendition that is being generated. Returns false when the lease has expired. */
  private async updateLeased(
    { sourceKey, kind, holder }: RenditionLease,
    changes: Partial<Omit<RenditionEntity, 'sourceKey' | 'kind' | 'cloudId'>>,
  ): Promise<boolean> {
    const leased = { sourceKey, kind, leaseHolder: holder, state: WAITING };
    const { affected } = await this.unitOfWork.manager.update(RenditionEntity, leased, changes);
    return affected === 1;
  }
}
