import { Injectable } from '@nestjs/common';
import type { CloudRight } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { actorIn, mayIn } from './cloud.access.js';
import type { CloudActor } from './cloud.access.js';
import { FamilyArrivals } from './family-arrivals.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** How long a request waits for the event that would admit it. */
const PATIENCE_MS = 1_000;
/** Another replica may have taken the event, so the table is looked at as well. */
const LOOK_AGAIN_MS = 250;
/** Requests that wait at a time; beyond, the answer is "not ready" at once. */
const MAX_WAITERS = 256;
/** Seconds. */
const RETRY_AFTER = 2;

/** The one door to a family's cloud. */
@Injectable()
export class CloudAccessService {
  constructor(
    private readonly projections: FamilyProjectionRepository,
    private readonly arrivals: FamilyArrivals,
  ) {}

  /**
   * Unknown and foreign clouds answer alike. A family whose event is still under way is waited for; when the feed is
   * known to lag, the answer is "not ready" for whatever was named, so that neither answer tells what exists.
   * @throws ServiceError CLOUD_NOT_FOUND or CLOUD_NOT_READY
   */
  async admit(cloudID: string, caller: Principal): Promise<CloudActor> {
    const actor = await this.soon(caller, () => this.find(cloudID, caller));
    if (!actor) throw new ServiceError('CLOUD_NOT_FOUND');
    return actor;
  }

  /** @throws ServiceError CLOUD_NOT_FOUND, CLOUD_NOT_READY, or PERMISSION_MISSING for a member without the right */
  async admitWith(cloudID: string, caller: Principal, right: CloudRight): Promise<CloudActor> {
    const actor = await this.admit(cloudID, caller);
    if (!mayIn(actor, right)) throw new ServiceError('PERMISSION_MISSING');
    return actor;
  }

  /** As things stand now, without waiting: for what was admitted before and is used or committed now. */
  async find(cloudID: string, caller: Pick<Principal, 'type' | 'id'>): Promise<CloudActor | undefined> {
    // PostgreSQL refuses NUL and half surrogates; no id has them.
    if (!cloudID.isWellFormed() || cloudID.includes('\u0000')) return undefined;
    const family = await this.projections.findWithCloud(cloudID);
    return family && actorIn(family, caller);
  }

  /** The caller's place in every cloud that the caller belongs to. */
  async findAll(caller: Principal): Promise<CloudActor[]> {
    const found = await this.soon(caller, async () => {
      const families = await this.projections.findByPrincipal(principalKey(caller));
      return families.length > 0 ? families : undefined;
    });
    return (found ?? []).flatMap((family) => actorIn(family, caller) ?? []);
  }

  private async soon<Found>(caller: Principal, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const principal = principalKey(caller);
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = await look();
      if (found) return found;
      const left = deadline - Date.now();
      if (this.arrivals.isBehind || this.arrivals.waiters >= MAX_WAITERS) {
        throw new ServiceError('CLOUD_NOT_READY', { retryAfter: RETRY_AFTER });
      }
      if (left <= 0) return undefined;
      await this.arrivals.next(principal, Math.min(left, LOOK_AGAIN_MS));
    }
  }
}
