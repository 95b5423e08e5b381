import { Injectable, Logger } from '@nestjs/common';
import { BlobStore } from '../blobs/blob-store.js';
import type { StoredBlob } from '../blobs/blob-store.js';
import { GarbageCollectionRepository } from './garbage-collection.repository.js';
import { ORPHAN_MIN_AGE_MS } from './orphan-age.js';
import { isStoreIdentityKey } from './store-identity.service.js';

/** Files that one round looks at. */
const PAGE = 1_000;
/** Files that one round removes at most. */
const MAX_REMOVED = 200;

/**
 * Removes bytes of which no row tells: of an upload whose process died between store and database. It walks through
 * the store a page per round, and what it finds is looked at again in the next round before it goes.
 */
@Injectable()
export class OrphanCollectorService {
  private readonly logger = new Logger(OrphanCollectorService.name);
  private walk: AsyncIterator<StoredBlob> | undefined;
  private suspects: string[] = [];

  constructor(
    private readonly collected: GarbageCollectionRepository,
    private readonly store: BlobStore,
  ) {}

  /** @returns number of files that were removed */
  async run(now: number): Promise<number> {
    const orphans = (await this.unknownAmong(this.suspects)).slice(0, MAX_REMOVED);
    let removed = 0;
    for (const key of orphans) removed += await this.remove(key);
    const page = await this.nextPage();
    const old = page.filter(({ key, changedAt }) => changedAt < now - ORPHAN_MIN_AGE_MS && !isStoreIdentityKey(key));
    this.suspects = await this.unknownAmong(old.map(({ key }) => key));
    return removed;
  }

  /** What the store does not let go is found again when the walk comes by. */
  private async remove(key: string): Promise<number> {
    try {
      await this.store.discard(key);
      return 1;
    } catch (error) {
      this.logger.warn({ msg: 'Blob deletion failed', blobKey: key, orphan: true, err: error });
      return 0;
    }
  }

  private async unknownAmong(keys: readonly string[]): Promise<string[]> {
    return keys.length === 0 ? [] : this.collected.findUnknown(keys);
  }

  /** After the last page it begins anew with the next round. */
  private async nextPage(): Promise<StoredBlob[]> {
    this.walk ??= this.store.list()[Symbol.asyncIterator]();
    const page: StoredBlob[] = [];
    while (page.length < PAGE) {
      const next = await this.walk.next().catch((error: unknown) => {
        this.walk = undefined;
        throw error;
      });
      if (next.done) {
        this.walk = undefined;
        break;
      }
      page.push(next.value);
    }
    return page;
  }
}
