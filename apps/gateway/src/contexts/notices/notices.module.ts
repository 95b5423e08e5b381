import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { NoticesEventHandlers } from './notices.event-handlers.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [NoticesEventHandlers],
})
export class NoticesModule {}
