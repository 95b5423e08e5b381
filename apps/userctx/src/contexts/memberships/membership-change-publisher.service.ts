import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilySnapshotsService } from '../families/family-snapshots.service.js';

/** What every change of members brings along, in the unit of work of the change. */
@Injectable()
export class MembershipChangePublisherService {
  constructor(
    private readonly memberContacts: MemberContactsService,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /** First the family's snapshot, so that whoever is told of the contacts is known as a member. */
  async publish(familyId: string, by: PrincipalKey): Promise<void> {
    await this.snapshots.publish(familyId);
    await this.memberContacts.syncMembers(familyId, by);
  }
}
