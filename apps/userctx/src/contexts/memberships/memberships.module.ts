import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildrenModule } from '../children/children.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { InvitationRepository } from './invitations/invitation.repository.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { FamilyCodeRepository } from './join-requests/family-code.repository.js';
import { FamilyCodesService } from './join-requests/family-codes.service.js';
import { JoinRequestDecisionsService } from './join-requests/join-request-decisions.service.js';
import { JoinRequestTransitionsService } from './join-requests/join-request-transitions.service.js';
import { JoinRequestRepository } from './join-requests/join-request.repository.js';
import { JoinRequestsController } from './join-requests/join-requests.controller.js';
import { JoinRequestsService } from './join-requests/join-requests.service.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { MembershipsEventHandlers } from './memberships.event-handlers.js';
import { ClaimsController } from './ownership/claims.controller.js';
import { ClaimsService } from './ownership/claims.service.js';
import { DissolutionService } from './ownership/dissolution.service.js';
import { OwnershipController } from './ownership/ownership.controller.js';
import { TransferService } from './ownership/transfer.service.js';

/**
 * Adding, changing and removing members of families. The module depends on families and contacts, because a change of
 * members also changes contacts.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule, ChildrenModule, WatchesModule],
  controllers: [
    MembersController,
    InvitationsController,
    JoinRequestsController,
    OwnershipController,
    ClaimsController,
  ],
  providers: [
    MemberContactsService,
    MembersService,
    MembershipsEventHandlers,
    InvitationRepository,
    InvitationsService,
    FamilyCodeRepository,
    FamilyCodesService,
    JoinRequestRepository,
    JoinRequestTransitionsService,
    JoinRequestsService,
    JoinRequestDecisionsService,
    TransferService,
    DissolutionService,
    ClaimsService,
  ],
})
export class MembershipsModule {}
