import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildWatchLinksService } from './child-watch-links.service.js';
import { FamiliesController } from './families.controller.js';
import { FamiliesService } from './families.service.js';
import { FamilyAccessService } from './family-access.service.js';
import { FamilyLinkRepository } from './family-link.repository.js';
import { FamilyMemberRepository } from './family-member.repository.js';
import { FamilyRosterService } from './family-roster.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyVersionsService } from './family-versions.service.js';
import { FamilyRepository } from './family.repository.js';
import { MemberProfilesService } from './member-profiles.service.js';
import { FamilyOwnershipService } from './ownership/family-ownership.service.js';
import { OwnershipClaimRepository } from './ownership/ownership-claim.repository.js';
import { OwnershipClaimsService } from './ownership/ownership-claims.service.js';

/**
 * Families: members, children, permissions and ownership. Every other context checks access through this module before
 * it reads or changes data of a family.
 */
@Module({
  imports: [AccountsModule],
  controllers: [FamiliesController],
  providers: [
    FamiliesService,
    FamilyRepository,
    FamilyMemberRepository,
    FamilyLinkRepository,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyVersionsService,
    ChildWatchLinksService,
    MemberProfilesService,
    FamilyOwnershipService,
    OwnershipClaimRepository,
    OwnershipClaimsService,
  ],
  exports: [
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyVersionsService,
    FamilyOwnershipService,
    OwnershipClaimsService,
    ChildWatchLinksService,
    MemberProfilesService,
  ],
})
export class FamiliesModule {}
