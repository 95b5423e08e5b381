import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  compileChildRules,
  type CompiledChildRules,
  type CommunicationRefusal,
} from '@family-watch/domain/watches/check-communication';
import type { ChildRules } from '@family-watch/domain/watches/contracts/child-rules';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { PEER_PUB_SUB, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { ChildRulesProjectionRepository } from './child-rules-projection.repository.js';

const CHILD_RULES_CHANGED_SUBJECT = 'gateway.child-rules.changed';

/** Maximum number of children whose rules are cached. */
const MAX_CACHED_CHILDREN = 50_000;
/** Milliseconds by which each refresh overlaps the previous one: longer than a commit takes to become visible. */
const REFRESH_OVERLAP_MS = 20_000;

/** Looks up child rules in the cache, or in the database if they are not cached. */
@Injectable()
export class ChildRulesLookupService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new ChildRulesCache(MAX_CACHED_CHILDREN);
  private subscription: PubSubSubscription | undefined;
  private refreshedAt = performance.now();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly projection: ChildRulesProjectionRepository,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.pubSub.subscribe(CHILD_RULES_CHANGED_SUBJECT, (cid) =>
      this.cache.invalidate(cid as string),
    );
  }

  onApplicationShutdown(): void {
    this.subscription?.close();
  }

  /** Returns the rules of these children, at most two seconds stale; a child without stored rules is omitted. */
  async findByChildren(cids: ReadonlySet<string>): Promise<ReadonlyMap<string, CompiledChildRules>> {
    const found = new Map<string, CompiledChildRules>();
    const missing: string[] = [];
    for (const cid of cids) {
      const rules = this.cache.get(cid);
      if (rules === undefined) missing.push(cid);
      else if (rules) found.set(cid, rules);
    }
    if (missing.length === 0) return found;
    const read = new Map(
      (await this.projection.findByChildren(missing)).map((rules) => [rules.cid, compileChildRules(rules)]),
    );
    for (const cid of missing) this.cache.put(cid, read.get(cid) ?? null);
    return new Map([...found, ...read]);
  }

  /** Returns the stored versions of the rules of these children; a child without stored rules is omitted. */
  async findVersions(cids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.projection.findByChildren(cids)).map(({ cid, version }) => [cid, version]));
  }

  /** Returns the child's rules from the database, locked for share until the end of the current transaction. */
  async lockForShare(cid: string): Promise<CompiledChildRules | undefined> {
    const rules = await this.projection.lockForShare(cid);
    return rules && compileChildRules(rules);
  }

  /** Stores newer rules in the current transaction; after the commit every node uses the new rules. */
  async store(rules: ChildRules): Promise<void> {
    if (await this.projection.store(rules)) this.invalidateAfterCommit(rules.cid);
  }

  /** Deletes the child's rules in the current transaction. */
  async delete(cid: string): Promise<void> {
    await this.projection.delete(cid);
    this.invalidateAfterCommit(cid);
  }

  /**
   * Invalidates cached rules that were replaced since the last refresh: pub/sub may lose messages, but a restriction
   * must take effect within two seconds.
   */
  @OnJob('gateway.projections.refresh-child-rules', { intervalMs: 1_000, runsWhileClientsAreConnected: true })
  async refreshCache(): Promise<void> {
    const now = performance.now();
    const elapsed = Math.ceil(now - this.refreshedAt);
    for (const { cid, version } of await this.projection.findChangedWithin(elapsed + REFRESH_OVERLAP_MS))
      this.cache.invalidateBefore(cid, version);
    this.refreshedAt = now;
  }

  private invalidateAfterCommit(cid: string): void {
    this.unitOfWork.afterCommit(() => {
      this.cache.invalidate(cid);
      this.pubSub.publish(CHILD_RULES_CHANGED_SUBJECT, cid);
    });
  }
}

/**
 * Cache of children's rules, `null` for a child without stored rules. The least recently used entry is evicted first.
 */
export class ChildRulesCache {
  private readonly entries: LRUCache<string, { rules: CompiledChildRules | null }>;

  constructor(max: number) {
    this.entries = new LRUCache(entryLimit(max));
  }

  get(cid: string): CompiledChildRules | null | undefined {
    return this.entries.get(cid)?.rules;
  }

  /** Caches rules read from the database, unless rules of the same or a newer version are cached. */
  put(cid: string, rules: CompiledChildRules | null): void {
    const cached = this.get(cid);
    if (!cached || cached.version < (rules?.version ?? 0)) this.entries.set(cid, { rules });
  }

  invalidate(cid: string): void {
    this.entries.delete(cid);
  }

  /** Invalidates rules that are older than `version`. */
  invalidateBefore(cid: string, version: number): void {
    const cached = this.get(cid);
    if (cached !== undefined && (cached?.version ?? 0) < version) this.invalidate(cid);
  }
}

/**
 * Converts a refusal into an error. For a refusal because of school time, `details` contains the end of school time
 * (Unix milliseconds), and `retryAfter` is set.
 */
export function communicationRefusedError(refusal: CommunicationRefusal, field: string, now: number): ServiceError {
  if (refusal.reason !== 'SCHOOL_TIME') return new ServiceError(refusal.reason);
  const { until } = refusal;
  return new ServiceError('SCHOOL_TIME', {
    details: [{ field, rule: 'until', message: String(until) }],
    retryAfter: Math.max(1, Math.ceil((until - now) / 1_000)),
  });
}
