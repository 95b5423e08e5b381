import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyProjectionRepository } from './family-projection.repository.js';

/** Families as handlers of events need them: in the same unit of work, so they see what it has just stored. */
@Injectable()
export class FamilyLookupService {
  constructor(private readonly families: FamilyProjectionRepository) {}

  /** @throws Error for a family that was not heard of yet; the event is tried again once it was. */
  async get(familyId: string): Promise<FamilySnapshot> {
    const family = await this.families.find(familyId);
    if (!family) throw new Error(`Family ${familyId} is not known yet`);
    return family;
  }

  /** The family and the child that a watch is bound to, if any. */
  async findByWatch(did: number): Promise<{ family: FamilySnapshot; cid: string } | undefined> {
    for (const family of await this.families.findByPrincipal(`watch:${did}`)) {
      const child = family.dissolved ? undefined : family.children.find((each) => each.did === did);
      if (child) return { family, cid: child.cid };
    }
    return undefined;
  }

  /** The families that a person is a member of. */
  async findByMember(userId: string): Promise<FamilySnapshot[]> {
    const families = await this.families.findByPrincipal(`user:${userId}`);
    return families.filter(({ dissolved }) => !dissolved);
  }
}
