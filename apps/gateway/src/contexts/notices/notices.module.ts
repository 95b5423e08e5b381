import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { NoticesEventHandlers } from './notices.event-handlers.js';

@Module({
  imports: [ProjectionsModule, MailboxModule],
  providers: [NoticesEventHandlers],
})
export class NoticesModule {}
