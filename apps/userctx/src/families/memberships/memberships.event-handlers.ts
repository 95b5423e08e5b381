import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyRosterService } from '../family-roster.service.js';
import { JoinRequestRepository } from './join-request.repository.js';

/** Updates members and join requests when accounts and children change. */
@Injectable()
export class MembershipsEventHandlers {
  constructor(
    private readonly joinRequests: JoinRequestRepository,
    private readonly roster: FamilyRosterService,
    private readonly memberContacts: MemberContactsService,
  ) {}

  /** Removes an erased child from the join requests that were made through the child's watch. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.memberships.clear-child-from-join-requests' })
  async clearChildFromJoinRequests({
    payload: { familyId, cid },
  }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.joinRequests.clearChild(familyId, cid);
  }

  /** Updates a person's name and number in every family of that person, so that the watches show the new values. */
  @OnEvent('userctx.profile.changed', { handler: 'userctx.memberships.sync-member-profile' })
  async syncMemberProfile({ payload: { userId } }: HandledEvent<'userctx.profile.changed'>): Promise<void> {
    const profile = await this.roster.findProfile(userId);
    if (!profile) return;
    // Families are locked in the order of their ids, to prevent deadlocks between updates of two people who share
    // families.
    for (const familyId of (await this.roster.findFamilies(userId)).toSorted()) {
      if (!(await this.roster.updateMemberIdentity(familyId, userId, profile.identity))) continue;
      await this.memberContacts.syncMembers(familyId, `user:${userId}`);
    }
  }
}
