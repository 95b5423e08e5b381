import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildWatchLinks } from './child-watch-links.service.js';
import { FamiliesController } from './families.controller.js';
import { FamiliesService } from './families.service.js';
import { FamilyLinkRepository } from './family-link.repository.js';
import { FamilyMemberRepository } from './family-member.repository.js';
import { FamilyAccess } from './family.access.js';
import { FamilyRepository } from './family.repository.js';
import { FamilyRoster } from './family-roster.service.js';
import { FamilySnapshots } from './family-snapshots.service.js';
import { FamilyVersions } from './family-versions.service.js';
import { FamilyErasureJob } from './ownership/family-erasure.job.js';
import { FamilyOwnership } from './ownership/family-ownership.service.js';
import { OwnershipClaimRepository } from './ownership/ownership-claim.repository.js';
import { OwnershipClaims } from './ownership/ownership-claims.service.js';
import { MemberProfiles } from './member-profiles.service.js';

/** Who belongs to whom. Every other context asks here before it reads or changes what belongs to a family. */
@Module({
  imports: [AccountsModule],
  controllers: [FamiliesController],
  providers: [
    FamiliesService,
    FamilyRepository,
    FamilyMemberRepository,
    FamilyLinkRepository,
    FamilyAccess,
    FamilyRoster,
    FamilySnapshots,
    FamilyVersions,
    ChildWatchLinks,
    MemberProfiles,
    FamilyErasureJob,
    FamilyOwnership,
    OwnershipClaimRepository,
    OwnershipClaims,
  ],
  exports: [
    FamilyAccess,
    FamilyRoster,
    FamilySnapshots,
    FamilyVersions,
    FamilyOwnership,
    OwnershipClaims,
    ChildWatchLinks,
    MemberProfiles,
  ],
})
export class FamiliesModule {}
