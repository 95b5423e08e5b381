import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { Batcher } from '@family-watch/platform/process/batcher';
import { PEER_PUB_SUB } from '../../infrastructure/gateway.tokens.js';
import { mayReceive } from '../../protocol/delivery-access.js';
import type { DeliverySubject } from '../../protocol/delivery-access.js';
import { FamilyCache } from './family-cache.js';
import type { BoundChild } from './family-cache.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

export const FAMILY_CHANGED_SUBJECT = 'gateway.families.changed';

/** Signals may be lost; access must end within two seconds all the same. */
const SWEEP_MS = 1_000;
/** How much further back than the last sweep one looks: longer than a commit takes to become visible. */
const SWEEP_OVERLAP_MS = 20_000;

/**
 * Who of the principals held by this node belongs where. A "yes" may be a moment old; a "no" is always asked of the
 * database again, because what is refused now is never delivered later.
 */
@Injectable()
export class ConnectedFamiliesService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ConnectedFamiliesService.name);
  private readonly cache = new FamilyCache();
  /** Those who connect at the same time are looked up together. */
  private readonly lookups = new Batcher<PrincipalKey, readonly FamilySnapshot[]>({
    process: async (principals) => {
      const found = await this.families.findByPrincipals(principals);
      return principals.map((principal) => found.get(principal) ?? []);
    },
    maxBatch: 500,
    // One per connection and event under way, which are bounded by the process.
    maxWaiting: 1_000_000,
  });
  private subscription: PubSubSubscription | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sweptAt = performance.now();
  private stopped = false;

  constructor(
    private readonly families: FamilyProjectionRepository,
    @Inject(PEER_PUB_SUB) private readonly peers: PubSub,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.peers.subscribe(FAMILY_CHANGED_SUBJECT, (data) =>
      this.applySnapshot(data as FamilySnapshot),
    );
    this.scheduleSweep();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    this.subscription?.close();
    clearTimeout(this.timer);
  }

  /** A snapshot that is stored; without delay on the node that stored it, whose connections are told of messages so. */
  applySnapshot(family: FamilySnapshot): void {
    this.cache.put(family);
  }

  /** Keeps what is known of the principal's families fresh until {@link release}. */
  async retain(principal: PrincipalKey): Promise<void> {
    this.cache.retain(principal);
    await this.refresh(principal);
  }

  release(principal: PrincipalKey): void {
    this.cache.release(principal);
  }

  /** May a held principal receive this, by what is known now? */
  isAllowedByCache(principal: PrincipalKey, subject: DeliverySubject): boolean {
    return mayReceive(principal, subject, subject.familyId === null ? undefined : this.cache.get(subject.familyId));
  }

  /** The same, but a refusal is by the database. */
  async isAllowed(principal: PrincipalKey, subject: DeliverySubject): Promise<boolean> {
    if (subject.familyId === null || this.isAllowedByCache(principal, subject)) return true;
    const family = await this.families.find(subject.familyId);
    if (family) this.cache.put(family);
    return mayReceive(principal, subject, family);
  }

  /** The child that a held watch acts as, by what is known now. */
  cachedChildOf(did: string): BoundChild | undefined {
    return this.cache.childOf(did);
  }

  /** The child that a held watch acts as; `undefined`, by the database, for one that is bound to none. */
  async childOf(did: string): Promise<BoundChild | undefined> {
    const known = this.cachedChildOf(did);
    if (known) return known;
    await this.refresh(`watch:${did}`);
    return this.cache.childOf(did);
  }

  /** Newest snapshots of the families of a held principal. */
  familiesOf(principal: PrincipalKey): FamilySnapshot[] {
    return this.cache.familiesOf(principal).flatMap((familyId) => this.cache.get(familyId) ?? []);
  }

  /** Newest snapshot of a family, held or not. */
  async find(familyId: string): Promise<FamilySnapshot | undefined> {
    return this.cache.get(familyId) ?? (await this.families.find(familyId));
  }

  private async refresh(principal: PrincipalKey): Promise<void> {
    for (const snapshot of await this.lookups.submit(principal)) this.cache.put(snapshot);
  }

  private scheduleSweep(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      void this.sweep().finally(() => this.scheduleSweep());
    }, SWEEP_MS);
    this.timer.unref();
  }

  private async sweep(): Promise<void> {
    const now = performance.now();
    const window = Math.ceil(now - this.sweptAt) + SWEEP_OVERLAP_MS;
    try {
      for (const snapshot of await this.families.findChangedWithin(window)) this.cache.put(snapshot);
      this.sweptAt = now;
    } catch (error) {
      this.logger.warn({ msg: 'Query for changed families failed', err: error });
    }
  }
}
