import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { OnContactChangedHandler } from './on-contact-changed.handler.js';
import { OnFriendApplicationHandler } from './on-friend-application.handler.js';
import { OnWatchBindingHandler } from './on-watch-binding.handler.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [OnWatchBindingHandler, OnContactChangedHandler, OnFriendApplicationHandler],
})
export class NoticesModule {}
