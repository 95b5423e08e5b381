import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import { compileChildRules } from '@family-watch/domain/child-rules/check-communication';
import type { CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';
import type { PubSub, PubSubSubscription } from '@family-watch/event-bus/pub-sub';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { PEER_PUB_SUB } from '../../infrastructure/gateway.tokens.js';
import { ChildRulesCache } from './child-rules-cache.js';
import { ChildRulesProjectionRepository } from './child-rules-projection.repository.js';

const CHANGED_SUBJECT = 'gateway.child-rules.changed';

/** Children whose rules are held in memory. */
const MAX_CHILDREN = 50_000;

/** What children's watches may be reached by, from memory wherever that can be. */
@Injectable()
export class ChildRulesLookupService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new ChildRulesCache(MAX_CHILDREN);
  private subscription: PubSubSubscription | undefined;

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly stored: ChildRulesProjectionRepository,
    @Inject(PEER_PUB_SUB) private readonly peers: PubSub,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.peers.subscribe(CHANGED_SUBJECT, (cid) => this.cache.invalidate(cid as string));
  }

  onApplicationShutdown(): void {
    this.subscription?.close();
  }

  /** The rules of these children; one of whom nothing was told is left out. Two seconds old at most. */
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
      (await this.stored.findByChildren(missing)).map((rules) => [rules.cid, compileChildRules(rules)]),
    );
    for (const cid of missing) this.cache.put(cid, read.get(cid) ?? null);
    return new Map([...found, ...read]);
  }

  /** The child's rules by the database; nothing replaces them before the open unit of work ends. */
  async lockForShare(cid: string): Promise<CompiledChildRules | undefined> {
    const rules = await this.stored.lockForShare(cid);
    return rules && compileChildRules(rules);
  }

  /** Keeps newer rules, in the open unit of work; every node goes by them once it is committed. */
  async store(rules: ChildRules): Promise<void> {
    if (await this.stored.store(rules)) this.forgetAfterCommit(rules.cid);
  }

  /** In the open unit of work. */
  async delete(cid: string): Promise<void> {
    await this.stored.delete(cid);
    this.forgetAfterCommit(cid);
  }

  /** Finds what no signal has told: they may be lost. */
  async invalidateChangedWithin(milliseconds: number): Promise<void> {
    for (const { cid, version } of await this.stored.findChangedWithin(milliseconds))
      this.cache.invalidateBefore(cid, version);
  }

  private forgetAfterCommit(cid: string): void {
    this.unitOfWork.afterCommit(() => {
      this.cache.invalidate(cid);
      this.peers.publish(CHANGED_SUBJECT, cid);
    });
  }
}
