import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { McdiskOutbox } from '../../infrastructure/mcdisk-infrastructure.js';
import { ReadableContentRepository, type ContentKey, type ContentWithFamily } from './readable-content.repository.js';

/**
 * Maximum age of a cache entry, short because the end of a reader's access must take effect on every node within two
 * seconds.
 */
const CACHE_TTL_MS = 1_000;
/** Time before expiry from which an entry is refreshed together with the next query. */
const REFRESH_BEFORE_EXPIRY_MS = CACHE_TTL_MS / 2;
const MAX_CACHED_CONTENTS = 10_000;
const MAX_BATCH_SIZE = 100;

/** Token for the cached state of one cloud, compared by identity and replaced when the cloud changes. */
type CloudVersion = object;

interface CacheEntry {
  contentKey: ContentKey;
  contentWithFamily: ContentWithFamily;
  version: CloudVersion;
  /** Time on the monotonic clock, milliseconds. */
  expiresAt: number;
}

/**
 * Finds contents and families for downloads. Concurrent requests share one query. Results are cached for at most one
 * second, because a video is read in hundreds of ranges. When a change of a cloud is committed or received in this
 * process, the cache entries of the cloud are invalidated immediately. Other processes see a changed content when their
 * cache entries expire.
 */
@Injectable()
export class ReadableContentService implements OnModuleInit, OnModuleDestroy {
  private readonly cloudVersions = new LRUCache<string, CloudVersion>(entryLimit(MAX_CACHED_CONTENTS));
  private readonly cacheEntries = new LRUCache<string, CacheEntry>(entryLimit(MAX_CACHED_CONTENTS));
  /**
   * Entries that were used since they were read from the database, in the order of their first use. A cache entry is
   * refreshed only if it was used since the last query.
   */
  private readonly usedEntries = new Map<string, CacheEntry>();
  private readonly queryBatcher = new Batcher<ContentKey, ContentWithFamily | undefined>({
    process: (requested) => this.queryContents(requested),
    maxBatchSize: MAX_BATCH_SIZE,
    maxConcurrentBatches: 2,
    maxWaitingItems: 10_000,
  });
  private readonly unsubscribe: (() => void)[] = [];

  constructor(
    private readonly contents: ReadableContentRepository,
    private readonly outbox: McdiskOutbox,
    private readonly familyEvents: FamilyEventMonitor,
  ) {}

  onModuleInit(): void {
    // The key of every event about a cloud is the cloud's id, which is the family's id.
    const invalidate = (cloudId: string) => void this.cloudVersions.delete(cloudId);
    this.unsubscribe.push(
      this.outbox.onCommitted(({ key }) => invalidate(key)),
      this.familyEvents.onChanged(invalidate),
    );
  }

  onModuleDestroy(): void {
    for (const unsubscribe of this.unsubscribe.splice(0)) unsubscribe();
  }

  /** Returns `undefined` for unknown and inactive contents. Does not check who may read the content. */
  async find({ cloudId, contentId }: ContentKey): Promise<ContentWithFamily | undefined> {
    // PostgreSQL rejects NUL and lone surrogates; no valid id contains them.
    if (!isUuid(contentId) || !cloudId.isWellFormed() || cloudId.includes('\u0000')) return undefined;
    const contentKey = { cloudId, contentId };
    const key = keyOf(contentKey);
    const startedAt = performance.now();
    const version = this.versionOf(cloudId);
    const entry = this.cacheEntries.get(key);
    if (entry?.version === version && entry.expiresAt > startedAt) {
      if (this.usedEntries.size < MAX_CACHED_CONTENTS) this.usedEntries.set(key, entry);
      return entry.contentWithFamily;
    }
    const found = await this.queryBatcher.submit(contentKey);
    // The entry has the version from before the query, so it is invalid if the cloud changed during the query.
    if (found)
      this.cacheEntries.set(key, {
        contentKey,
        contentWithFamily: found,
        version,
        expiresAt: startedAt + CACHE_TTL_MS,
      });
    return found;
  }

  /** Reads the requested contents and, in the same query, the contents whose cache entries are due for a refresh. */
  private async queryContents(requested: readonly ContentKey[]): Promise<(ContentWithFamily | undefined)[]> {
    const startedAt = performance.now();
    const due = this.drainDueKeys(startedAt, MAX_BATCH_SIZE - requested.length);
    const versions = due.map(({ cloudId }) => this.versionOf(cloudId));
    const found = await this.contents.findMany([...requested, ...due]);
    due.forEach((contentKey, index) => {
      const refreshed = found[requested.length + index];
      const version = versions[index] as CloudVersion;
      if (refreshed)
        this.cacheEntries.set(keyOf(contentKey), {
          contentKey,
          contentWithFamily: refreshed,
          version,
          expiresAt: startedAt + CACHE_TTL_MS,
        });
      else this.cacheEntries.delete(keyOf(contentKey));
    });
    return found.slice(0, requested.length);
  }

  private drainDueKeys(now: number, limit: number): ContentKey[] {
    const due: ContentKey[] = [];
    for (const [key, { contentKey, expiresAt }] of this.usedEntries) {
      // The entries are in the order of their first use, so all entries after the first one that is not due are left
      // for a later query.
      if (due.length >= limit || expiresAt - now > REFRESH_BEFORE_EXPIRY_MS) break;
      this.usedEntries.delete(key);
      if (expiresAt > now) due.push(contentKey);
    }
    return due;
  }

  private versionOf(cloudId: string): CloudVersion {
    const current = this.cloudVersions.get(cloudId);
    if (current) return current;
    const version = {};
    this.cloudVersions.set(cloudId, version);
    return version;
  }
}

function keyOf({ cloudId, contentId }: ContentKey): string {
  return `${contentId} ${cloudId}`;
}
