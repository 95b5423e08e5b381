import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { MemberContacts } from '../contacts/member-contacts.service.js';
import { FamilySnapshots } from '../families/family-snapshots.service.js';

/** What every change of members brings along, in the unit of work of the change. */
@Injectable()
export class MembershipChanges {
  constructor(
    private readonly memberContacts: MemberContacts,
    private readonly snapshots: FamilySnapshots,
  ) {}

  /** First the family's snapshot, so that whoever is told of the contacts is known as a member. */
  async tell(familyId: string, by: PrincipalKey): Promise<void> {
    await this.snapshots.publish(familyId);
    await this.memberContacts.followMembers(familyId, by);
  }
}
