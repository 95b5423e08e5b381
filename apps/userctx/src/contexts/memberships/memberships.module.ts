import { Module } from '@nestjs/common';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { MembershipChanges } from './membership-changes.service.js';
import { OnProfileChangedHandler } from './on-profile-changed.handler.js';

/** How people come into families, change there, and leave: above families and contacts, because it changes both. */
@Module({
  imports: [FamiliesModule, ContactsModule],
  controllers: [MembersController, InvitationsController],
  providers: [InvitationRepository, InvitationsService, MembersService, MembershipChanges, OnProfileChangedHandler],
})
export class MembershipsModule {}
