import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/**
 * Looks up families in the database, and in the current transaction, so snapshots that the transaction has just stored
 * are visible.
 */
@Injectable()
export class FamilyLookupService {
  constructor(private readonly families: FamilyProjectionRepository) {}

  /**
   * @throws Error for a family whose snapshot was not received yet; the event is retried later
   * @throws ServiceError OVERLOADED while the projection of the family may be outdated
   */
  async get(familyId: string): Promise<FamilySnapshot> {
    const family = await this.families.find(familyId);
    if (!family) throw new Error(`No snapshot of family ${familyId} has been received yet`);
    return family;
  }

  /** Returns the family and the child that a watch is bound to, if any. */
  async findByWatch(did: number): Promise<{ family: FamilySnapshot; cid: string } | undefined> {
    for (const family of await this.families.findByPrincipal(`watch:${did}`)) {
      const child = family.dissolved ? undefined : family.children.find((each) => each.did === did);
      if (child) return { family, cid: child.cid };
    }
    return undefined;
  }

  /** Returns the families that the user is a member of. */
  async findByMember(userId: string): Promise<FamilySnapshot[]> {
    const families = await this.families.findByPrincipal(`user:${userId}`);
    return families.filter(({ dissolved }) => !dissolved);
  }
}
