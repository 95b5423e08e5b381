import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { FamilyLinkRepository } from './family-link.repository.js';
import { FamilyMemberRepository } from './family-member.repository.js';
import { FamilyRepository } from './family.repository.js';

/** Publishes family snapshots to the other apps. */
@Injectable()
export class FamilySnapshotsService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly members: FamilyMemberRepository,
    private readonly links: FamilyLinkRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Increments the family's version and appends `userctx.family.changed` with the complete family. Must be called in
   * the transaction that changes the family, after its last change of members, children and watches.
   */
  async publish(familyId: string): Promise<void> {
    const family = await this.families.nextVersion(familyId);
    if (!family) throw new Error('The family does not exist');
    const members = await this.members.findByFamily(familyId);
    const links = await this.links.findByFamily(familyId);
    const payload: FamilySnapshot = {
      familyId,
      version: family.version,
      ownerUserId: family.ownerUserId,
      dissolved: family.dissolved,
      members: members.map(({ userId, role, permissions, childPermissions }) => ({
        userId,
        role,
        permissions,
        childPermissions,
      })),
      children: links.map(({ cid, did }) => ({ cid, did })),
    };
    await this.outbox.append({ name: 'userctx.family.changed', key: familyId, payload });
  }
}
