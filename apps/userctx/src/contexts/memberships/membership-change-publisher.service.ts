import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilySnapshotsService } from '../families/family-snapshots.service.js';

/** Publishes changes of members, in the transaction of the change. */
@Injectable()
export class MembershipChangePublisherService {
  constructor(
    private readonly memberContacts: MemberContactsService,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /**
   * Publishes the family snapshot before the contacts, so that consumers have stored a new member before they receive
   * the member's contacts.
   */
  async publish(familyId: string, by: PrincipalKey): Promise<void> {
    await this.snapshots.publish(familyId);
    await this.memberContacts.syncMembers(familyId, by);
  }
}
