import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CONDEMNED_BLOB_GRACE_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { BlobStore } from '../blobs/blob-store.js';
import { GarbageCollectionRepository } from './garbage-collection.repository.js';

/** Blobs that one unit of work decides about, and whose bytes go before the next. */
const BATCH = 100;
/** Batches of one round; a recycle bin that was emptied goes over several. */
const MAX_BATCHES = 50;
/** Between two batches, milliseconds: removing is never urgent. */
const PAUSE_MS = 20;
/** Blobs that one round looks at for ones that slipped through. */
const PAGE = 2_000;
/** Somebody else may be removing the bytes right now, milliseconds. */
const HALF_DELETED_MS = 10 * 60_000;
const FORGOTTEN_MS = 30 * 24 * 60 * 60 * 1_000;
/** Sorts before every key that is made. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Brings blobs that nothing refers to any more to their end. The database decides first, then the store forgets. */
@Injectable()
export class BlobGarbageCollectorService {
  private readonly logger = new Logger(BlobGarbageCollectorService.name);
  /** Each process begins somewhere else and goes round: what one does not get to, another does. */
  private position: string = randomUUID();

  constructor(
    private readonly collected: GarbageCollectionRepository,
    private readonly blobs: BlobRepository,
    private readonly store: BlobStore,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Condemns live blobs that lost their last reference without anybody saying so. */
  async condemnUnreferenced(now: number): Promise<number> {
    const { loose, last } = await this.collected.findPage(this.position, PAGE);
    this.position = last ?? BEFORE_ALL;
    if (loose.length === 0) return 0;
    return this.unitOfWork.run(() => this.blobs.condemnUnreferenced(loose, now));
  }

  /**
   * Removes what has been condemned for long enough, renditions included.
   * @returns number of blobs whose bytes are gone
   */
  async removeCondemned(now: number): Promise<number> {
    let removed = 0;
    for (let round = 0; round < MAX_BATCHES; round += 1) {
      const { locked, keys } = await this.decideSome(now);
      removed += await this.remove(keys, now);
      if (locked < BATCH) break;
      await sleep(PAUSE_MS);
    }
    return removed;
  }

  /** Finishes removals that a process began and did not live to end. */
  async resumeDeletions(now: number): Promise<number> {
    return this.remove(await this.blobs.claimUnfinishedDeletions(now - HALF_DELETED_MS, BATCH), now);
  }

  async deleteTombstones(now: number): Promise<void> {
    await this.collected.deleteTombstones(now - FORGOTTEN_MS, PAGE);
  }

  private async decideSome(now: number): Promise<{ locked: number; keys: string[] }> {
    return this.unitOfWork.run(async () => {
      const locked = await this.collected.lockCondemned(now - CONDEMNED_BLOB_GRACE_MS, BATCH);
      if (locked.length === 0) return { locked: 0, keys: [] };
      // A statement of its own: it sees whatever was committed before the rows were locked.
      const keys = await this.collected.deleteOrRevive(locked, now);
      const renditions = keys.length > 0 ? await this.collected.takeRenditions(keys, now) : [];
      return { locked: locked.length, keys: [...keys, ...renditions] };
    });
  }

  /** What the store does not let go stays DELETING, and is tried again later. */
  private async remove(keys: readonly string[], now: number): Promise<number> {
    const gone: string[] = [];
    for (const key of keys) {
      try {
        await this.store.discard(key);
        gone.push(key);
      } catch (error) {
        this.logger.warn({ msg: 'Blob deletion failed', blobKey: key, err: error });
      }
    }
    if (gone.length > 0) await this.collected.markGone(gone, now);
    return gone.length;
  }
}
