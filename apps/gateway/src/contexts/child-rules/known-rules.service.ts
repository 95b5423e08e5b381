import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import { reachRulesOf } from '@family-watch/domain/child-rules/may-reach';
import type { ReachRules } from '@family-watch/domain/child-rules/may-reach';
import type { Signals, SignalSubscription } from '@family-watch/event-bus/signals';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { PEERS } from '../../infrastructure/gateway.tokens.js';
import { ChildRulesCache } from './child-rules-cache.js';
import { ChildRulesRepository } from './child-rules.repository.js';

const CHANGED_SUBJECT = 'gateway.child-rules.changed';

/** Children whose rules are held in memory. */
const MAX_CHILDREN = 50_000;

/** What children's watches may be reached by, from memory wherever that can be. */
@Injectable()
export class KnownRules implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new ChildRulesCache(MAX_CHILDREN);
  private subscription: SignalSubscription | undefined;

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly stored: ChildRulesRepository,
    @Inject(PEERS) private readonly peers: Signals,
  ) {}

  onApplicationBootstrap(): void {
    this.subscription = this.peers.subscribe(CHANGED_SUBJECT, (cid) => this.cache.forget(cid as string));
  }

  onApplicationShutdown(): void {
    this.subscription?.close();
  }

  /** The rules of these children; one of whom nothing was told is left out. Two seconds old at most. */
  async of(cids: ReadonlySet<string>): Promise<ReadonlyMap<string, ReachRules>> {
    const found = new Map<string, ReachRules>();
    const missing: string[] = [];
    for (const cid of cids) {
      const rules = this.cache.get(cid);
      if (rules === undefined) missing.push(cid);
      else if (rules) found.set(cid, rules);
    }
    if (missing.length === 0) return found;
    const read = new Map((await this.stored.findByChildren(missing)).map((rules) => [rules.cid, reachRulesOf(rules)]));
    for (const cid of missing) this.cache.put(cid, read.get(cid) ?? null);
    return new Map([...found, ...read]);
  }

  /** The child's rules by the database; nothing replaces them before the open unit of work ends. */
  async hold(cid: string): Promise<ReachRules | undefined> {
    const rules = await this.stored.hold(cid);
    return rules && reachRulesOf(rules);
  }

  /** Keeps newer rules, in the open unit of work; every node goes by them once it is committed. */
  async take(rules: ChildRules): Promise<void> {
    if (await this.stored.store(rules)) this.forgetAfterCommit(rules.cid);
  }

  /** In the open unit of work. */
  async erase(cid: string): Promise<void> {
    await this.stored.delete(cid);
    this.forgetAfterCommit(cid);
  }

  /** Finds what no signal has told: they may be lost. */
  async forgetChangedWithin(milliseconds: number): Promise<void> {
    for (const { cid, version } of await this.stored.findChangedWithin(milliseconds))
      this.cache.forgetBefore(cid, version);
  }

  private forgetAfterCommit(cid: string): void {
    this.unitOfWork.afterCommit(() => {
      this.cache.forget(cid);
      this.peers.publish(CHANGED_SUBJECT, cid);
    });
  }
}
