import { Injectable, Logger } from '@nestjs/common';
import { BlobStore } from '../blobs/blob-store.js';
import type { StoredBlob } from '../blobs/blob-store.js';
import { GarbageCollectionRepository, ORPHAN_MIN_AGE_MS } from './garbage-collection.repository.js';
import { isStoreIdentityKey } from './store-identity.service.js';

/** Number of blobs checked per run. */
const PAGE_SIZE = 1_000;
/** Maximum number of blobs deleted per run. */
const MAX_DELETIONS = 200;

/**
 * Deletes bytes without a row in the database. An upload leaves bytes without a row when its process crashes after
 * writing to the store and before writing to the database. Each run checks one page of the store. The orphans of a page
 * are checked again in the next run before they are deleted.
 */
@Injectable()
export class OrphanCollectorService {
  private readonly logger = new Logger(OrphanCollectorService.name);
  private storeListing: AsyncIterator<StoredBlob> | undefined;
  private orphanCandidates: string[] = [];

  constructor(
    private readonly repository: GarbageCollectionRepository,
    private readonly store: BlobStore,
  ) {}

  /**
   * Deletes the orphans of the previous page that are still orphans, and checks the next page.
   * @returns number of blobs that were deleted
   */
  async run(now: number): Promise<number> {
    const orphans = (await this.findUnknown(this.orphanCandidates)).slice(0, MAX_DELETIONS);
    let removed = 0;
    for (const key of orphans) removed += await this.remove(key);
    const page = await this.nextPage();
    const oldBlobs = page.filter(
      ({ key, changedAt }) => changedAt < now - ORPHAN_MIN_AGE_MS && !isStoreIdentityKey(key),
    );
    this.orphanCandidates = await this.findUnknown(oldBlobs.map(({ key }) => key));
    return removed;
  }

  /** Deletes the bytes of an orphan. If the deletion fails, the next pass over the store finds the orphan again. */
  private async remove(key: string): Promise<number> {
    try {
      await this.store.discard(key);
      return 1;
    } catch (error) {
      this.logger.warn({ msg: 'Blob deletion failed', blobKey: key, orphan: true, err: error });
      return 0;
    }
  }

  private async findUnknown(keys: readonly string[]): Promise<string[]> {
    return keys.length === 0 ? [] : this.repository.findUnknown(keys);
  }

  /** Returns the next page of the store, and after the last page the first page again. */
  private async nextPage(): Promise<StoredBlob[]> {
    this.storeListing ??= this.store.list()[Symbol.asyncIterator]();
    const page: StoredBlob[] = [];
    while (page.length < PAGE_SIZE) {
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
