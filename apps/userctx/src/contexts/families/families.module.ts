import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamilyAccessService } from './family-access.service.js';
import { FamilyOwnershipService } from './family-ownership.service.js';
import { FamilyRosterService } from './family-roster.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyRepository } from './family.repository.js';
import { OwnershipClaimRepository } from './ownership-claim.repository.js';

/**
 * Families: members, children, permissions and ownership. Every other context checks access through this module before
 * it reads or changes data of a family.
 */
@Module({
  imports: [AccountsModule],
  providers: [
    FamilyRepository,
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyOwnershipService,
    OwnershipClaimRepository,
  ],
  exports: [
    FamilyAccessService,
    FamilyRosterService,
    FamilySnapshotsService,
    FamilyOwnershipService,
    OwnershipClaimRepository,
  ],
})
export class FamiliesModule {}
