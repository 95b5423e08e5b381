import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ApplicationChanges } from './applications/application-changes.service.js';
import { ApplicationDecisions } from './applications/application-decisions.service.js';
import { ApplicationExpiryJob } from './applications/application-expiry.job.js';
import { ApplicationRepository } from './applications/application.repository.js';
import { ApplicationsController } from './applications/applications.controller.js';
import { ApplicationsService } from './applications/applications.service.js';
import { FamilyCodeRepository } from './applications/family-code.repository.js';
import { FamilyCodes } from './applications/family-codes.service.js';
import { OnChildErasedHandler } from './applications/on-child-erased.handler.js';
import { InvitationRepository } from './invitations/invitation.repository.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { OnProfileChangedHandler } from './members/on-profile-changed.handler.js';
import { MembershipChanges } from './membership-changes.service.js';
import { ClaimGrantJob } from './ownership/claim-grant.job.js';
import { ClaimsController } from './ownership/claims.controller.js';
import { ClaimsService } from './ownership/claims.service.js';
import { DissolutionService } from './ownership/dissolution.service.js';
import { OwnershipController } from './ownership/ownership.controller.js';
import { TransferService } from './ownership/transfer.service.js';

/** How people come into families, change there, and leave: above families and contacts, because it changes both. */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule, ChildrenModule, WatchesModule],
  controllers: [
    MembersController,
    InvitationsController,
    ApplicationsController,
    OwnershipController,
    ClaimsController,
  ],
  providers: [
    MembershipChanges,
    ...[MembersService, OnProfileChangedHandler],
    ...[InvitationRepository, InvitationsService],
    ...[FamilyCodeRepository, FamilyCodes, ApplicationRepository, ApplicationChanges, ApplicationsService],
    ...[ApplicationDecisions, ApplicationExpiryJob, OnChildErasedHandler],
    ...[TransferService, DissolutionService, ClaimsService, ClaimGrantJob],
  ],
})
export class MembershipsModule {}
