import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { FriendsController } from './friends.controller.js';
import { FriendsEventHandlers } from './friends.event-handlers.js';
import { FriendsService } from './friends.service.js';
import { FriendshipRepository } from './friendship.repository.js';

/** Friendships of children. Two children may talk to each other after both families have agreed. */
@Module({
  imports: [AccountsModule, FamiliesModule, WatchesModule],
  controllers: [FriendsController],
  providers: [FriendshipRepository, FriendsService, FriendsEventHandlers],
  exports: [FriendsService],
})
export class FriendsModule {}
