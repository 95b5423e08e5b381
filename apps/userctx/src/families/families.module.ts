import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildDeletionService } from './children/child-deletion.service.js';
import { ChildRepository } from './children/child.repository.js';
import { ChildrenController } from './children/children.controller.js';
import { ChildrenService } from './children/children.service.js';
import { CloudTicketsService } from './children/cloud-tickets.service.js';
import { WatchChildController } from './children/watch-child.controller.js';
import { ContactRepository } from './contacts/contact.repository.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ContactsService } from './contacts/contacts.service.js';
import { MemberContactsService } from './contacts/member-contacts.service.js';
import { FamiliesController } from './families.controller.js';
import { FamilyAccessService } from './family-access.service.js';
import { FamilyOwnershipService } from './family-ownership.service.js';
import { FamilyRosterService } from './family-roster.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyStatesService } from './family-states.service.js';
import { FamilyRepository } from './family.repository.js';
import { FriendsController } from './friends/friends.controller.js';
import { FriendsEventHandlers } from './friends/friends.event-handlers.js';
import { FriendsService } from './friends/friends.service.js';
import { FriendshipRepository } from './friends/friendship.repository.js';
import { FamiliesService } from './memberships/families.service.js';
import { FamilyCodeRepository } from './memberships/family-code.repository.js';
import { FamilyCodesService } from './memberships/family-codes.service.js';
import { FamilySuccessionService } from './memberships/family-succession.service.js';
import { InvitationRepository } from './memberships/invitation.repository.js';
import { InvitationsService } from './memberships/invitations.service.js';
import { JoinRequestRepository } from './memberships/join-request.repository.js';
import { JoinRequestsController } from './memberships/join-requests.controller.js';
import { JoinRequestsService } from './memberships/join-requests.service.js';
import { MembershipsEventHandlers } from './memberships/memberships.event-handlers.js';
import { OwnershipService } from './memberships/ownership.service.js';
import { OwnershipClaimRepository } from './ownership-claim.repository.js';
import { WatchCodes } from './watch-codes.js';

/**
 * Families: members, children, contacts, friendships, and who may do what. Every room above checks access with
 * `FamilyAccessService` before it reads or changes data of a family, and finds a child and its watch with
 * `FamilyRosterService`.
 *
 * - Parts: `children/` (specification 4.1), `contacts/`, `friends/`, `memberships/` (invitations, join requests,
 *   ownership). The permission matrix is `permission-matrix.ts`.
 * - Tables: `child`, `contact`, `contact_list`, `family`, `family_application`, `family_child`, `family_code`,
 *   `family_invitation`, `family_member`, `friend_code`, `friendship`, `ownership_claim`.
 * - Publishes: `userctx.child.created`, `userctx.child.deleted`, `userctx.child.erased`, `userctx.child.restored`,
 *   `userctx.child.updated`, `userctx.contact.changed`, `userctx.family-application.changed`,
 *   `userctx.family.changed`, `userctx.family.dissolved`, `userctx.family.transferred`,
 *   `userctx.friend-application.changed`, `userctx.friendship.changed`, `userctx.member-access.changed`,
 *   `userctx.ownership-claim.changed`.
 * - Needs: accounts.
 */
@Module({
  imports: [AccountsModule],
  controllers: [
    ChildrenController,
    WatchChildController,
    ContactsController,
    FamiliesController,
    JoinRequestsController,
    FriendsController,
  ],
  providers: [
    WatchCodes,
    FamilyRepository,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyStatesService,
    FamilyOwnershipService,
    OwnershipClaimRepository,
    ChildRepository,
    ChildrenService,
    ChildDeletionService,
    CloudTicketsService,
    ContactRepository,
    MemberContactsService,
    ContactsService,
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
    FriendshipRepository,
    FriendsService,
    FriendsEventHandlers,
  ],
  exports: [
    WatchCodes,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyStatesService,
    ChildrenService,
    ContactsService,
    MemberContactsService,
    FamiliesService,
    FamilySuccessionService,
    FriendsService,
  ],
})
export class FamiliesModule {}
