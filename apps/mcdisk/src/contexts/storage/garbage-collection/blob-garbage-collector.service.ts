import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CONDEMNED_BLOB_GRACE_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { BlobStore } from '../blobs/blob-store.js';
import { GarbageCollectionRepository } from './garbage-collection.repository.js';

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
 * Number of live blobs per run that are checked for references; a blob without references should have been condemned.
 */
const PAGE_SIZE = 2_000;
/** Age below which a deletion may still be in progress in another process, milliseconds. */
const DELETION_TIMEOUT_MS = 10 * 60_000;
/** How long rows of deleted blobs are retained, milliseconds. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** A key that sorts before every blob key. */
const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes unreferenced blobs after their grace period. A transaction decides which blobs to delete; after the commit
 * their bytes are deleted.
 */
@Injectable()
export class BlobGarbageCollectorService {
  private readonly logger = new Logger(BlobGarbageCollectorService.name);
  /**
   * Key after which the next check for references continues. Each process starts at a random key, so that the replicas
   * check different blobs, and continues with the first key after the last one.
   */
  private nextCheckedKey: string = randomUUID();

  constructor(
    private readonly repository: GarbageCollectionRepository,
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Condemns live blobs that have no reference, in case the transaction that removed the last reference did not condemn
   * them.
   */
  async condemnUnreferenced(now: number): Promise<number> {
    const { unreferencedKeys, lastKey } = await this.repository.findPage(this.nextCheckedKey, PAGE_SIZE);
    this.nextCheckedKey = lastKey ?? LOWEST_KEY;
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
      const { lockedCount, keys } = await this.decideBatch(now);
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
    await this.repository.deleteTombstones(now - TOMBSTONE_RETENTION_MS, PAGE_SIZE);
  }

  private async decideBatch(now: number): Promise<{ lockedCount: number; keys: string[] }> {
    return this.unitOfWork.run(async () => {
      const locked = await this.repository.lockCondemned(now - CONDEMNED_BLOB_GRACE_MS, BATCH_SIZE);
      if (locked.length === 0) return { lockedCount: 0, keys: [] };
      // The check for references is a separate statement after the lock, so that it sees everything committed before
      // the rows were locked.
      const keys = await this.repository.deleteOrRevive(locked, now);
      const renditions = keys.length > 0 ? await this.repository.deleteRenditions(keys, now) : [];
      return { lockedCount: locked.length, keys: [...keys, ...renditions] };
    });
  }

  /** Deletes the bytes of blobs. Blobs whose deletion fails stay DELETING, and their deletion is retried. */
  private async remove(keys: readonly string[], now: number): Promise<number> {
    const deleted: string[] = [];
    for (const key of keys) {
      try {
        await this.store.discard(key);
        deleted.push(key);
      } catch (error) {
        this.logger.warn({ msg: 'Blob deletion failed', blobKey: key, err: error });
      }
    }
    if (deleted.length > 0) await this.repository.markGone(deleted, now);
    return deleted.length;
  }
}
