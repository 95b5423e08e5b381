import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ChildRulesModule } from '../child-rules/child-rules.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { FriendsModule } from '../friends/friends.module.js';
import { SnapshotSourceService } from './snapshot-source.service.js';

/** Returns the current states of objects to the apps that store projections of them. */
@Module({
  imports: [AccountsModule, FamiliesModule, FriendsModule, ChildRulesModule],
  providers: [SnapshotSourceService],
})
export class SnapshotsModule {}
