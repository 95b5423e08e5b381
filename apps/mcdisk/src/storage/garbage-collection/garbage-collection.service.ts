import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CONDEMNED_BLOB_GRACE_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { StoreIdentityService, isStoreIdentityKey } from './store-identity.service.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobRepository, ORPHAN_MIN_AGE_MS } from '../blobs/blob.repository.js';
import { BlobStore, type StoredBlob } from '../blobs/blob-store.js';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';

export const GARBAGE_COLLECTION_JOB = 'mcdisk.storage.collect-garbage';

/** Numbers of blobs that one run changed or deleted. */
export interface GarbageCollectionResult {
  condemnedCount: number;
  deletedCount: number;
  deletedOrphanCount: number;
}

const EMPTY_RESULT: GarbageCollectionResult = { condemnedCount: 0, deletedCount: 0, deletedOrphanCount: 0 };
/**
 * Maximum number of blobs that one transaction decides about; the bytes of these blobs are deleted before the next
 * transaction.
 */
const BATCH_SIZE = 100;
/** Maximum number of batches per run; a large emptied recycle bin takes several runs. */
const MAX_BATCHES = 50;
/** Pause between two batches, milliseconds: deletion is never urgent. */
const BATCH_PAUSE_MS = 20;
/**
 * Number of rows of blobs that one run checks for references, and maximum number of rows of deleted blobs that it
 * deletes.
 */
const ROW_PAGE_SIZE = 2_000;
/** Age below which a deletion may still be in progress in another process, milliseconds. */
const DELETION_TIMEOUT_MS = 10 * 60_000;
/** How long rows of deleted blobs are retained, milliseconds. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Number of blobs in the store that one run compares with the database. */
const STORE_PAGE_SIZE = 1_000;
/** Maximum number of orphans that one run deletes. */
const MAX_ORPHAN_DELETIONS = 200;

/**
 * Deletes blobs that are not referenced any more. Replicas process different rows. Deletes nothing when the store
 * belongs to another database or to a newer state of this database.
 */
@Injectable()
export class GarbageCollectionService {
  private readonly logger = new Logger(GarbageCollectionService.name);
  /**
   * Key after which the next check for references starts. Each process starts at a random key, so that the replicas
   * check different blobs. After the last key, the process continues with the first key.
   */
  private nextCheckedKey: string = randomUUID();
  private storeListing: AsyncIterator<StoredBlob> | undefined;
  private orphanCandidates: string[] = [];

  constructor(
    private readonly storeIdentity: StoreIdentityService,
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Runs one collection.
   * @param now Unix milliseconds; blobs whose grace period ended before this time are deleted
   */
  @OnJob(GARBAGE_COLLECTION_JOB, { intervalMs: 60_000 })
  async run(now: number): Promise<GarbageCollectionResult> {
    const verification = await this.storeIdentity.verify();
    if (!verification.isMatching) {
      this.logger.error({ msg: 'Garbage collection suspended: run fsck', reason: verification.reason });
      return EMPTY_RESULT;
    }
    await this.storeIdentity.advanceGeneration(now);
    const condemned = await this.condemnUnreferenced(now);
    const removed = (await this.removeCondemned(now)) + (await this.resumeDeletions(now));
    await this.deleteTombstones(now);
    const orphans = await this.collectOrphans(now);
    if (condemned + removed + orphans > 0) {
      this.logger.log({ msg: 'Garbage collection finished', condemned, removed, orphans });
    }
    return { condemnedCount: condemned, deletedCount: removed, deletedOrphanCount: orphans };
  }

  /**
   * Condemns live blobs that have no reference, in case the transaction that removed the last reference did not condemn
   * them.
   */
  async condemnUnreferenced(now: number): Promise<number> {
    const { unreferencedKeys, lastKey } = await this.blobs.findUnreferencedInPage(this.nextCheckedKey, ROW_PAGE_SIZE);
    this.nextCheckedKey = lastKey ?? MIN_UUID;
    if (unreferencedKeys.length === 0) return 0;
    return this.unitOfWork.run(() => this.blobs.condemnUnreferenced(unreferencedKeys, now));
  }

  /**
   * Deletes blobs whose grace period has ended, with their renditions.
   * @returns number of blobs whose bytes were deleted
   */
  async removeCondemned(now: number): Promise<number> {
    let removed = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const { lockedCount, keys } = await this.decideCondemnedBatch(now);
      removed += await this.remove(keys, now);
      if (lockedCount < BATCH_SIZE) break;
      await sleep(BATCH_PAUSE_MS);
    }
    return removed;
  }

  /** Resumes deletions that a crashed process left unfinished. */
  async resumeDeletions(now: number): Promise<number> {
    return this.remove(await this.blobs.claimUnfinishedDeletions(now - DELETION_TIMEOUT_MS, BATCH_SIZE), now);
  }

  /** Deletes the rows of blobs whose bytes were deleted 30 days ago. */
  async deleteTombstones(now: number): Promise<void> {
    await this.blobs.deleteTombstones(now - TOMBSTONE_RETENTION_MS, ROW_PAGE_SIZE);
  }

  /**
   * Deletes the orphans of the previous page that are still orphans, and checks the next page.
   * @returns number of blobs that were deleted
   */
  async collectOrphans(now: number): Promise<number> {
    const orphans = (await this.findUnknown(this.orphanCandidates)).slice(0, MAX_ORPHAN_DELETIONS);
    let removed = 0;
    // If a deletion fails, the next pass over the store finds the orphan again.
    for (const key of orphans) if (await this.tryDiscard(key, { orphan: true })) removed += 1;
    const page = await this.nextPage();
    const oldBlobs = page.filter(
      ({ key, changedAt }) => changedAt < now - ORPHAN_MIN_AGE_MS && !isStoreIdentityKey(key),
    );
    this.orphanCandidates = await this.findUnknown(oldBlobs.map(({ key }) => key));
    return removed;
  }

  private async decideCondemnedBatch(now: number): Promise<{ lockedCount: number; keys: string[] }> {
    return this.unitOfWork.run(async () => {
      const locked = await this.blobs.lockCondemned(now - CONDEMNED_BLOB_GRACE_MS, BATCH_SIZE);
      if (locked.length === 0) return { lockedCount: 0, keys: [] };
      // The check for references is a separate statement after the lock, so that it sees everything committed before
      // the rows were locked.
      const keys = await this.blobs.deleteOrRevive(locked, now);
      const renditions = keys.length > 0 ? await this.blobs.deleteRenditions(keys, now) : [];
      return { lockedCount: locked.length, keys: [...keys, ...renditions] };
    });
  }

  /** Deletes the bytes of blobs. Blobs whose deletion fails stay DELETING, and their deletion is retried. */
  private async remove(keys: readonly string[], now: number): Promise<number> {
    const deleted: string[] = [];
    for (const key of keys) if (await this.tryDiscard(key)) deleted.push(key);
    if (deleted.length > 0) await this.blobs.markGone(deleted, now);
    return deleted.length;
  }

  private async tryDiscard(blobKey: string, details: { orphan?: true } = {}): Promise<boolean> {
    try {
      await this.store.discard(blobKey);
      return true;
    } catch (error) {
      this.logger.warn({ msg: 'Blob deletion failed', blobKey, ...details, err: error });
      return false;
    }
  }

  private async findUnknown(keys: readonly string[]): Promise<string[]> {
    return keys.length === 0 ? [] : this.blobs.findUnknown(keys);
  }

  /** Returns the next page of the blobs in the store. After the last page, a new listing of the store begins. */
  private async nextPage(): Promise<StoredBlob[]> {
    this.storeListing ??= this.store.list()[Symbol.asyncIterator]();
    const page: StoredBlob[] = [];
    while (page.length < STORE_PAGE_SIZE) {
      const next = await this.storeListing.next().catch((error: unknown) => {
        this.storeListing = undefined;
        throw error;
      });
      if (next.done) {
        this.storeListing = undefined;
        break;
      }
      page.push(next.value);
    }
    return page;
  }
}
