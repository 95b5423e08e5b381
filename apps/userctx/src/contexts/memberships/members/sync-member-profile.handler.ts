import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { MemberContactsService } from '../../contacts/member-contacts.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { MemberProfilesService } from '../../families/member-profiles.service.js';

/** Updates a person's name and number in every family of that person, so that the watches show the new values. */
@Injectable()
export class SyncMemberProfileHandler implements EventHandler<DomainEvents, 'userctx.profile.changed'>, OnModuleInit {
  readonly name = 'userctx.memberships.renew-member-cards';
  readonly event = 'userctx.profile.changed' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly profiles: MemberProfilesService,
    private readonly roster: FamilyRosterService,
    private readonly memberContacts: MemberContactsService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { userId } }: EventOf<DomainEvents, 'userctx.profile.changed'>): Promise<void> {
    const profile = await this.profiles.find(userId);
    if (!profile) return;
    // Families are locked in the order of their ids, to prevent deadlocks between updates of two people who share
    // families.
    for (const familyId of (await this.roster.findFamilies(userId)).toSorted()) {
      if (!(await this.roster.updateMemberIdentity(familyId, userId, profile.identity))) continue;
      await this.memberContacts.syncMembers(familyId, `user:${userId}`);
    }
  }
}
