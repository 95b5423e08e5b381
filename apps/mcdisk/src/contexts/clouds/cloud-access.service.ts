import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { resolveActor, hasRight } from './cloud-actor.js';
import type { CloudActor } from './cloud-actor.js';
import { FamilyEventMonitor } from './family-event-monitor.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** How long a request waits for the event that would admit it. */
const PATIENCE_MS = 1_000;
/** Another replica may have taken the event, so the table is looked at as well. */
const LOOK_AGAIN_MS = 250;
/** Requests that wait at a time, of all and of one; beyond, the answer is "not ready" at once. */
const MAX_WAITERS = 256;
const MAX_WAITERS_OF_ONE = 32;
/** Seconds. */
const RETRY_AFTER = 2;
/** Who has just waited in vain looks again without waiting, for this long; milliseconds. */
const IN_VAIN_MS = 60_000;
const MAX_IN_VAIN = 10_000;
/** No id is longer. */
const MAX_QUESTION = 128;

/** The one door to a family's cloud. */
@Injectable()
export class CloudAccessService {
  private readonly inVain = new LRUCache<string, true>({ max: MAX_IN_VAIN, ttl: IN_VAIN_MS });

  constructor(
    private readonly projections: FamilyProjectionRepository,
    private readonly arrivals: FamilyEventMonitor,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Unknown and foreign clouds answer alike. A family whose event is still under way is waited for; when the feed is
   * known to lag, the answer is "not ready" for whatever was named, so that neither answer tells what exists.
   * @throws ServiceError CLOUD_NOT_FOUND or CLOUD_NOT_READY
   */
  async authorize(cloudID: string, caller: Principal): Promise<CloudActor> {
    const actor = await this.soon(caller, cloudID, () => this.find(cloudID, caller));
    if (!actor) throw new ServiceError('CLOUD_NOT_FOUND');
    return actor;
  }

  /** @throws ServiceError CLOUD_NOT_FOUND, CLOUD_NOT_READY, or PERMISSION_MISSING for a member without the right */
  async authorizeFor(cloudID: string, caller: Principal, right: CloudRight): Promise<CloudActor> {
    const actor = await this.authorize(cloudID, caller);
    if (!hasRight(actor, right)) throw new ServiceError('PERMISSION_MISSING');
    return actor;
  }

  /** As things stand now, without waiting: for what was admitted before and is used or committed now. */
  async find(cloudID: string, caller: Pick<Principal, 'type' | 'id'>): Promise<CloudActor | undefined> {
    // PostgreSQL refuses NUL and half surrogates; no id has them.
    if (!cloudID.isWellFormed() || cloudID.includes('\u0000')) return undefined;
    const family = await this.projections.findWithCloud(cloudID);
    return family && resolveActor(family, caller);
  }

  /** Waits as `admit` does, and leaves the answer to it: inside of a unit of work nothing is waited for. */
  async waitForMembership(cloudID: string, caller: Principal): Promise<void> {
    try {
      await this.soon(caller, cloudID, () => this.find(cloudID, caller));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** The caller's place in every cloud that the caller belongs to. */
  async findAll(caller: Principal): Promise<CloudActor[]> {
    const found = await this.soon(caller, '', async () => {
      const families = await this.projections.findByPrincipal(principalKey(caller));
      return families.length > 0 ? families : undefined;
    });
    return (found ?? []).flatMap((family) => resolveActor(family, caller) ?? []);
  }

  /** @param wanted - the cloud that was named; empty for all of the caller's */
  private async soon<Found>(
    caller: Principal,
    wanted: string,
    look: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const principal = principalKey(caller);
    const question = `${principal} ${wanted.slice(0, MAX_QUESTION)}`;
    // A unit of work holds a connection, and those who wait would soon hold them all.
    const deadline = this.unitOfWork.isOpen || this.inVain.has(question) ? 0 : Date.now() + PATIENCE_MS;
    for (;;) {
      const found = await look();
      if (found) return found;
      const left = deadline - Date.now();
      if (this.arrivals.isLagging || this.isFull(principal)) {
        throw new ServiceError('CLOUD_NOT_READY', { retryAfter: RETRY_AFTER });
      }
      if (left <= 0) {
        if (deadline > 0) this.inVain.set(question, true);
        return undefined;
      }
      await this.arrivals.waitForNext(principal, Math.min(left, LOOK_AGAIN_MS));
    }
  }

  private isFull(principal: PrincipalKey): boolean {
    return this.arrivals.waiters >= MAX_WAITERS || this.arrivals.waitersOf(principal) >= MAX_WAITERS_OF_ONE;
  }
}
