import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { ChildrenModule } from '../../children/children.module.js';
import { ContactsModule } from '../../contacts/contacts.module.js';
import { WatchesModule } from '../../watches/watches.module.js';
import { FamiliesController } from '../families.controller.js';
import { FamiliesModule } from '../families.module.js';
import { FamiliesService } from './families.service.js';
import { FamilyCodeRepository } from './family-code.repository.js';
import { FamilyCodesService } from './family-codes.service.js';
import { FamilySuccessionService } from './family-succession.service.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationsService } from './invitations.service.js';
import { JoinRequestRepository } from './join-request.repository.js';
import { JoinRequestsController } from './join-requests.controller.js';
import { JoinRequestsService } from './join-requests.service.js';
import { MembershipsEventHandlers } from './memberships.event-handlers.js';
import { OwnershipService } from './ownership.service.js';

/**
 * Adding, changing and removing members of families. The module depends on families and contacts, because a change of
 * members also changes contacts.
 */
@Module({
  imports: [AccountsModule, FamiliesModule, ContactsModule, ChildrenModule, WatchesModule],
  controllers: [FamiliesController, JoinRequestsController],
  providers: [
    FamiliesService,
    MembershipsEventHandlers,
    JoinRequestRepository,
    FamilyCodeRepository,
    InvitationRepository,
    InvitationsService,
    FamilyCodesService,
    JoinRequestsService,
    OwnershipService,
    FamilySuccessionService,
  ],
  exports: [FamiliesService, FamilySuccessionService],
})
export class MembershipsModule {}
