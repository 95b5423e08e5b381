import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { BLOB_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/storage.entities';
import { uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import {
  ABANDON_UNREFERENCED_STAGED,
  CONDEMN_UNREFERENCED,
  LOCK_LIVE_BLOBS,
  CLAIM_UNFINISHED_DELETIONS,
  FIND_BLOB_PAGE,
  LOCK_CONDEMNED,
  DELETE_OR_REVIVE,
  DELETE_RENDITIONS,
  MARK_BLOBS_DELETING,
  FIND_UNKNOWN_KEYS,
  DELETE_TOMBSTONES,
  ESTIMATE_BLOBS,
} from './blob.sql.js';

const { STAGED, DELETING, GONE } = BLOB_STATE;
/** Retry delay after the first failed deletion of a blob. */
const FIRST_DELETION_RETRY_DELAY_MS = 10 * 60_000;
/** Maximum number of times that the retry delay doubles; the longest delay is 21 hours. */
const MAX_DELETION_DELAY_DOUBLINGS = 7;

/** Result of checking one page of blobs in key order. */
export interface ReferenceCheckPage {
  /**
   * Keys of live blobs that seem unreferenced. The caller must lock the returned blobs and check their references
   * again.
   */
  unreferencedKeys: string[];
  /** The key after which the next page starts, or `undefined` after the last page. */
  lastKey: string | undefined;
}

/** The blobs of one state, estimated from a sample. */
export interface BlobEstimate {
  state: string;
  blobs: number;
  bytes: number;
}

/**
 * Minimum age at which bytes without a row are deleted, milliseconds. The commit of younger bytes may be in progress.
 */
export const ORPHAN_MIN_AGE_MS = 60 * 60_000;

/**
 * Stores the states of blobs. Every update is conditional on the old state, so that exactly one of several concurrent
 * callers succeeds.
 */
@Injectable()
export class BlobRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Abandons a staged blob. Returns false when the blob is live or was abandoned before; the caller must not delete the
   * bytes in this case.
   */
  async abandonStaged(cloudId: string, blobKey: string, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      BlobEntity,
      { blobKey, cloudId, state: STAGED },
      { state: DELETING, stateSince: now },
    );
    return affected === 1;
  }

  async markGone(keys: readonly string[], now: number): Promise<void> {
    const changes = { state: GONE, stateSince: now };
    await this.unitOfWork.manager.update(BlobEntity, { blobKey: Any(keys), state: DELETING }, changes);
  }

  /**
   * Abandons staged blobs of all clouds that are not referenced by an open upload or a content.
   * @returns keys of the abandoned blobs, at most `limit`
   */
  async abandonUnreferencedStaged(now: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ blob_key: string }>(ABANDON_UNREFERENCED_STAGED, [now, limit]);
    return rows.map(({ blob_key }) => blob_key);
  }

  /**
   * Condemns the given blobs that are no longer referenced: garbage collection deletes them after a grace period. Must
   * be called in the transaction that removed the references. Locks the blobs' rows in key order, after contents,
   * folders and uploads and before the cloud.
   * @param now Unix milliseconds
   */
  async condemnUnreferenced(blobKeys: readonly string[], now: number): Promise<number> {
    if (blobKeys.length === 0) return 0;
    await this.unitOfWork.executor.query(LOCK_LIVE_BLOBS, [blobKeys]);
    const rows = await this.unitOfWork.executor.query(CONDEMN_UNREFERENCED, [blobKeys, now]);
    return rows.length;
  }

  /**
   * Claims blobs of all clouds whose deletion began before the given time and was not finished. Each blob is returned
   * to one caller only. A blob is returned again after a delay that doubles with each failure, so that failing
   * deletions do not block other deletions.
   */
  async claimUnfinishedDeletions(before: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ blob_key: string }>(CLAIM_UNFINISHED_DELETIONS, [
      before,
      limit,
      FIRST_DELETION_RETRY_DELAY_MS,
      MAX_DELETION_DELAY_DOUBLINGS,
    ]);
    return rows.map(({ blob_key }) => blob_key);
  }

  /** Finds unreferenced live blobs among the next `limit` blobs after the key `after`. */
  async findUnreferencedInPage(after: string, limit: number): Promise<ReferenceCheckPage> {
    const rows = await this.unitOfWork.executor.query<{ key: string; unreferenced: boolean }>(FIND_BLOB_PAGE, [
      after,
      limit,
    ]);
    return {
      unreferencedKeys: rows.filter(({ unreferenced }) => unreferenced).map(({ key }) => key),
      lastKey: rows.length === limit ? rows.at(-1)?.key : undefined,
    };
  }

  /**
   * Locks blobs that were condemned before the given time and skips locked rows. Must be called in the transaction that
   * decides about the locked blobs.
   */
  async lockCondemned(before: number, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ key: string }>(LOCK_CONDEMNED, [before, limit]);
    return rows.map(({ key }) => key);
  }

  /**
   * Decides about locked, condemned blobs: referenced blobs become LIVE again, all others DELETING.
   * @returns keys of the blobs to delete
   */
  async deleteOrRevive(keys: readonly string[], now: number): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ key: string; state: string }>(DELETE_OR_REVIVE, [
      uuidArray(keys),
      now,
    ]);
    return rows.filter(({ state }) => state === 'DELETING').map(({ key }) => key);
  }

  /**
   * Deletes the renditions of deleted sources.
   * @returns keys of the renditions' own blobs, which must be deleted as well
   */
  async deleteRenditions(sourceKeys: readonly string[], now: number): Promise<string[]> {
    const deleted = await this.unitOfWork.executor.query<{ key: string }>(DELETE_RENDITIONS, [uuidArray(sourceKeys)]);
    const keys = deleted.map(({ key }) => key).filter(Boolean);
    if (keys.length === 0) return [];
    const rows = await this.unitOfWork.executor.query<{ key: string }>(MARK_BLOBS_DELETING, [uuidArray(keys), now]);
    return rows.map(({ key }) => key);
  }

  /**
   * Marks a live or condemned blob that nothing references for deletion without a grace period. Its bytes must be deleted
   * after the commit.
   */
  async deleteNow(blobKey: string, now: number): Promise<void> {
    await this.unitOfWork.executor.query(MARK_BLOBS_DELETING, [uuidArray([blobKey]), now]);
  }

  /** Returns the keys whose bytes are not needed, because the key has no row or a row in state GONE. */
  async findUnknown(keys: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.executor.query<{ key: string }>(FIND_UNKNOWN_KEYS, [uuidArray(keys)]);
    return rows.map(({ key }) => key);
  }

  /** Deletes rows of blobs that have been GONE since before the given time and are not referenced. */
  async deleteTombstones(before: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_TOMBSTONES, [before, limit]);
    return rows.length;
  }

  estimate(): Promise<BlobEstimate[]> {
    return this.unitOfWork.executor.query<BlobEstimate>(ESTIMATE_BLOBS);
  }
}
