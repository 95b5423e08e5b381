import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { WatchReportsService } from './watch-reports.service.js';
import { WatchesGateway } from './watches.gateway.js';

@Module({
  imports: [ProjectionsModule, MailboxModule, PresenceModule],
  providers: [WatchesGateway, WatchReportsService],
})
export class WatchesModule {}
