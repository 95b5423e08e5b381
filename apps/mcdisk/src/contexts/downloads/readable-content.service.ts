import { Injectable } from '@nestjs/common';
import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { Batcher } from '@family-watch/platform/process/batcher';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { FamilyEventMonitor } from '../clouds/family-event-monitor.js';
import { ReadableContentRepository } from './readable-content.repository.js';
import type { ContentKey, ContentWithFamily } from './readable-content.repository.js';

/** How long what was found is believed. Removal has to take effect everywhere within two seconds. */
const BELIEVED_MS = 1_000;
/** What is asked for again before it has expired, when somebody asks anyway. */
const DUE_MS = BELIEVED_MS / 2;
const MAX_BELIEVED = 10_000;
const MAX_BATCH = 100;

/** Stands for what is believed of one cloud; news of it put another in its place. */
type Edition = object;

interface Belief {
  place: ContentKey;
  found: ContentWithFamily;
  edition: Edition;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/**
 * Contents and families as they stand, for those who read. Who asks at the same moment is looked up together, and
 * what was found is believed for a second at most: a film is read in hundreds of parts. News of the cloud that arise
 * or arrive in this process end that at once; another process learns of them by asking again.
 */
@Injectable()
export class ReadableContentService implements OnModuleInit, OnModuleDestroy {
  private readonly editions = new LRUCache<string, Edition>({ max: MAX_BELIEVED });
  private readonly believed = new LRUCache<string, Belief>({ max: MAX_BELIEVED });
  /** What was used since it was looked up; nobody asks ahead for what is read no more. */
  private readonly used = new Map<string, Belief>();
  private readonly lookups = new Batcher<ContentKey, ContentWithFamily | undefined>({
    process: (asked) => this.lookUp(asked),
    maxBatch: MAX_BATCH,
    maxConcurrentBatches: 2,
    maxWaiting: 10_000,
  });
  private readonly unsubscribe: (() => void)[] = [];

  constructor(
    private readonly contents: ReadableContentRepository,
    private readonly outbox: McdiskOutbox,
    private readonly arrivals: FamilyEventMonitor,
  ) {}

  onModuleInit(): void {
    // Every event of mcdisk has its cloud as key, which is the family's id.
    const forget = (cloudId: string) => void this.editions.delete(cloudId);
    this.unsubscribe.push(
      this.outbox.onCommitted(({ key }) => forget(key)),
      this.arrivals.onChanged(forget),
    );
  }

  onModuleDestroy(): void {
    for (const end of this.unsubscribe.splice(0)) end();
  }

  /** `undefined` for what is not there, or not active. Nothing is said about who may read it. */
  async find({ cloudId, contentId }: ContentKey): Promise<ContentWithFamily | undefined> {
    // PostgreSQL refuses NUL and half surrogates; no id has them.
    if (!isUuid(contentId) || !cloudId.isWellFormed() || cloudId.includes('\u0000')) return undefined;
    const place = { cloudId, contentId };
    const key = keyOf(place);
    const begun = performance.now();
    const edition = this.editionOf(cloudId);
    const belief = this.believed.get(key);
    if (belief?.edition === edition && belief.until > begun) {
      if (this.used.size < MAX_BELIEVED) this.used.set(key, belief);
      return belief.found;
    }
    const found = await this.lookups.submit(place);
    // By the edition of before: what news overtook is kept, and never believed.
    if (found) this.believed.set(key, { place, found, edition, until: begun + BELIEVED_MS });
    return found;
  }

  /** Whoever has to ask takes along what others would soon ask for, one by one. */
  private async lookUp(asked: readonly ContentKey[]): Promise<(ContentWithFamily | undefined)[]> {
    const begun = performance.now();
    const due = this.takeDue(begun, MAX_BATCH - asked.length);
    const editions = due.map(({ cloudId }) => this.editionOf(cloudId));
    const found = await this.contents.findMany([...asked, ...due]);
    due.forEach((place, index) => {
      const again = found[asked.length + index];
      const edition = editions[index] as Edition;
      if (again) this.believed.set(keyOf(place), { place, found: again, edition, until: begun + BELIEVED_MS });
      else this.believed.delete(keyOf(place));
    });
    return found.slice(0, asked.length);
  }

  private takeDue(now: number, room: number): ContentKey[] {
    const due: ContentKey[] = [];
    for (const [key, { place, until }] of this.used) {
      // In the order of their first use; what has longer to go than the first ones is left for the next time.
      if (due.length >= room || until - now > DUE_MS) break;
      this.used.delete(key);
      if (until > now) due.push(place);
    }
    return due;
  }

  private editionOf(cloudId: string): Edition {
    const known = this.editions.get(cloudId);
    if (known) return known;
    const edition = {};
    this.editions.set(cloudId, edition);
    return edition;
  }
}

function keyOf({ cloudId, contentId }: ContentKey): string {
  return `${contentId} ${cloudId}`;
}
