import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { compileFences, type CompiledFence, type ActiveFence } from './evaluation/fence-state.js';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { FenceRepository, type MonitoredChild } from './fence.repository.js';

/** Maximum number of children in the cache. A fence with a hundred corners takes about 10 KB of memory. */
const MAX_CACHED_CHILDREN = 5_000;

type VersionedChild = Pick<MonitoredChild, 'cid' | 'familyId' | 'version'>;

interface CachedFences {
  /** Version of the child's fences when they were read. A newer version in the database invalidates the entry. */
  version: number;
  fences: readonly CompiledFence[];
}

/** Caches compiled fences of the children whose watches reported most recently. */
@Injectable()
export class CompiledFencesService {
  private readonly cached = new LRUCache<string, CachedFences>(entryLimit(MAX_CACHED_CHILDREN));

  constructor(private readonly fences: FenceRepository) {}

  /**
   * Returns the compiled fences by child. Must not be called in a transaction that changed fences, because a rollback
   * would leave wrong cache entries.
   */
  async findByChildren(children: readonly VersionedChild[]): Promise<Map<string, readonly CompiledFence[]>> {
    const missing = children.filter((child) => !this.findCached(child));
    const found = missing.length > 0 ? await this.readFences(missing) : new Map<string, ActiveFence[]>();
    return new Map(
      children.map((child) => {
        const fences = this.findCached(child) ?? compileFences(found.get(child.cid) ?? []);
        this.cached.set(child.cid, { version: child.version, fences });
        return [child.cid, fences];
      }),
    );
  }

  private async readFences(children: readonly VersionedChild[]): Promise<Map<string, ActiveFence[]>> {
    return Map.groupBy(await this.fences.findByChildren(children), ({ cid }) => cid);
  }

  private findCached({ cid, version }: VersionedChild): readonly CompiledFence[] | undefined {
    const cached = this.cached.get(cid);
    return cached?.version === version ? cached.fences : undefined;
  }
}
