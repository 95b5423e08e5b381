import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildWatchLinksService } from './child-watch-links.service.js';
import { FamiliesService } from './families.service.js';
import { FamilyAccessService } from './family-access.service.js';
import { FamilyOwnershipService } from './family-ownership.service.js';
import { FamilyRosterService } from './family-roster.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyRepository } from './family.repository.js';
import { MemberProfilesService } from './member-profiles.service.js';
import { OwnershipClaimRepository } from './ownership-claim.repository.js';

/**
 * Families: members, children, permissions and ownership. Every other context checks access through this module before
 * it reads or changes data of a family.
 */
@Module({
  imports: [AccountsModule],
  providers: [
    FamiliesService,
    FamilyRepository,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    ChildWatchLinksService,
    MemberProfilesService,
    FamilyOwnershipService,
    OwnershipClaimRepository,
  ],
  exports: [
    FamiliesService,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyOwnershipService,
    ChildWatchLinksService,
    MemberProfilesService,
  ],
})
export class FamiliesModule {}
