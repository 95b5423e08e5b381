import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { DeliverySubject } from '@family-watch/domain/messages/contracts/message-center';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { PEER_PUB_SUB } from '../infrastructure/gateway-infrastructure.js';
import { mayReceive } from './delivery-access.js';
import { FamilyCache, type BoundChild } from './family-cache.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

export const FAMILY_CHANGED_SUBJECT = 'gateway.families.changed';

/** Milliseconds by which each sweep overlaps the previous sweep: longer than a commit takes to become visible. */
const SWEEP_OVERLAP_MS = 20_000;

/**
 * Decides which messages the principals connected to this node may receive. The cache, which may be slightly stale,
 * suffices to allow delivery. A denial is always checked against the database, because a denied message is not
 * delivered later.
 */
@Injectable()
export class ConnectedFamiliesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new FamilyCache();
  /** Concurrent lookups of new connections share one query. */
  private readonly lookupBatcher = new Batcher<PrincipalKey, readonly FamilySnapshot[]>({
    process: async (principals) => {
      const found = await this.families.findByPrincipals(principals);
      return principals.map((principal) => found.get(principal) ?? []);
    },
    maxBatchSize: 500,
    // Each connection and each event in progress waits for at most one lookup, and both are limited per process.
    maxWaitingItems: 1_000_000,
  });
  private subscription: PubSubSubscription | undefined;
  private sweptAt = performance.now();

  constructor(
    private readonly families: FamilyProjectionRepository,
    @Inject(PEER_PUB_SUB) private readonly pubSub: PubSub,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.pubSub.subscribe(FAMILY_CHANGED_SUBJECT, (data) =>
      this.applySnapshot(data as FamilySnapshot),
    );
  }

  onApplicationShutdown(): void {
    this.subscription?.close();
  }

  /**
   * Reads the families that have changed since the last sweep: pub/sub may lose messages, but lost access must take
   * effect within two seconds.
   */
  @OnJob('gateway.projections.sweep-families', { intervalMs: 1_000, runsWhileClientsAreConnected: true })
  async sweepFamilies(): Promise<void> {
    const now = performance.now();
    const elapsed = Math.ceil(now - this.sweptAt);
    for (const snapshot of await this.families.findChangedWithin(elapsed + SWEEP_OVERLAP_MS)) this.cache.put(snapshot);
    this.sweptAt = now;
  }

  /**
   * Applies a stored snapshot. The node that stores the snapshot calls this method before it delivers the messages of
   * the same commit.
   */
  applySnapshot(family: FamilySnapshot): void {
    this.cache.put(family);
  }

  /** Caches the families of the principal and keeps them up to date until {@link release}. */
  async retain(principal: PrincipalKey): Promise<void> {
    this.cache.retain(principal);
    await this.refresh(principal);
  }

  release(principal: PrincipalKey): void {
    this.cache.release(principal);
  }

  /**
   * Returns whether a retained principal may receive a message with this subject, according to the cache. While the
   * projection of the family may be outdated, only a snapshot requested from userctx allows delivery.
   */
  isAllowedByCache(principal: PrincipalKey, subject: DeliverySubject): boolean {
    return mayReceive(principal, subject, subject.familyId === null ? undefined : this.findCached(subject.familyId));
  }

  /** Returns false while the projection of the family may be outdated. */
  isKnown(familyId: string): boolean {
    return this.families.isKnown(familyId);
  }

  /**
   * Returns whether {@link find} can decide who may receive messages of this family: the projection is known, or userctx
   * has returned a snapshot in the last two seconds.
   */
  canDecideAccess(familyId: string): boolean {
    return this.isKnown(familyId) || this.families.snapshotFromUserctx(familyId) !== undefined;
  }

  /**
   * Decides like {@link isAllowedByCache}, but checks a denial against the database.
   * @throws ServiceError FAMILY_NOT_READY while the projection of the family may be outdated; the message must be delivered
   * later
   */
  async isAllowed(principal: PrincipalKey, subject: DeliverySubject): Promise<boolean> {
    if (subject.familyId === null || this.isAllowedByCache(principal, subject)) return true;
    const family = await this.families.find(subject.familyId);
    if (family) this.cache.put(family);
    return mayReceive(principal, subject, family);
  }

  /**
   * Returns the child that a retained watch is bound to, from the cache; `undefined` also while the projection of the
   * family may be outdated.
   */
  cachedChildOf(did: string): BoundChild | undefined {
    const child = this.cache.childOf(did);
    return child && this.families.isKnown(child.familyId) ? child : undefined;
  }

  /**
   * Returns the child that a retained watch is bound to, or `undefined` if the watch is unbound in the database.
   * @throws ServiceError FAMILY_NOT_READY while the projection of the watch's family is unknown
   */
  async childOf(did: string): Promise<BoundChild | undefined> {
    const cached = this.cachedChildOf(did);
    if (cached) return cached;
    await this.refresh(`watch:${did}`);
    const child = this.cache.childOf(did);
    if (!child || this.families.isKnown(child.familyId)) return child;
    const family = await this.families.find(child.familyId);
    return family?.children.some(({ cid, did: bound }) => cid === child.cid && String(bound) === did)
      ? child
      : undefined;
  }

  /** Returns the latest snapshots of a retained principal's families. */
  familiesOf(principal: PrincipalKey): FamilySnapshot[] {
    return this.cache.familyIdsOf(principal).flatMap((familyId) => this.cache.get(familyId) ?? []);
  }

  /**
   * Returns the latest snapshot of a family, cached or not; `undefined` also while the projection of the family may be
   * outdated and userctx has not returned a snapshot.
   */
  async find(familyId: string): Promise<FamilySnapshot | undefined> {
    const cached = this.findCached(familyId);
    return cached || !this.families.isKnown(familyId) ? cached : this.families.find(familyId);
  }

  private findCached(familyId: string): FamilySnapshot | undefined {
    return this.families.isKnown(familyId) ? this.cache.get(familyId) : this.families.snapshotFromUserctx(familyId);
  }

  private async refresh(principal: PrincipalKey): Promise<void> {
    for (const snapshot of await this.lookupBatcher.submit(principal)) this.cache.put(snapshot);
  }
}
