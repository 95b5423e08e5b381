import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import { MembershipWait } from '@family-watch/platform/jobs/membership-wait';
import { GatewayUnitOfWork, projectionUnknownError } from '../infrastructure/gateway-infrastructure.js';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/**
 * Milliseconds after an unsuccessful wait for the binding of a watch during which the watch does not wait again. Shorter
 * than the time in which a person binds the watch after its first unsuccessful request.
 */
const FAILED_WAIT_TTL_MS = 2_000;

/** The child that a watch is bound to, with its family. */
export interface BindingOfWatch {
  family: FamilySnapshot;
  cid: string;
}

/**
 * Looks up families in the database, and in the current transaction, so snapshots that the transaction has just stored
 * are visible.
 */
@Injectable()
export class FamilyLookupService {
  private readonly wait: MembershipWait;

  constructor(
    private readonly families: FamilyProjectionRepository,
    familyEvents: FamilyEventMonitor,
    unitOfWork: GatewayUnitOfWork,
  ) {
    this.wait = new MembershipWait(familyEvents, {
      unitOfWork,
      failedWaitTtlMs: FAILED_WAIT_TTL_MS,
      createNotReadyError: projectionUnknownError,
    });
  }

  /**
   * @throws Error for a family whose snapshot was not received yet; the event is retried later
   * @throws ServiceError FAMILY_NOT_READY while the projection of the family may be outdated
   */
  async get(familyId: string): Promise<FamilySnapshot> {
    const family = await this.families.find(familyId);
    if (!family) throw new Error(`No snapshot of family ${familyId} has been received yet`);
    return family;
  }

  /** Returns the family and the child that a watch is bound to, if any. */
  async findByWatch(did: number): Promise<BindingOfWatch | undefined> {
    for (const family of await this.families.findByPrincipal(`watch:${did}`)) {
      const child = family.dissolved ? undefined : family.children.find((each) => each.did === did);
      if (child) return { family, cid: child.cid };
    }
    return undefined;
  }

  /**
   * Like {@link findByWatch}, but waits for the event of the binding, at most one second: a watch may send its first
   * request before the event arrives.
   * @throws ServiceError FAMILY_NOT_READY, also while family events lag
   */
  waitForBinding(did: number): Promise<BindingOfWatch | undefined> {
    return this.wait.findAfterWait(`watch:${did}`, 'binding', () => this.findByWatch(did));
  }

  /** Returns the families that the user is a member of. */
  async findByMember(userId: string): Promise<FamilySnapshot[]> {
    const families = await this.families.findByPrincipal(`user:${userId}`);
    return families.filter(({ dissolved }) => !dissolved);
  }
}
