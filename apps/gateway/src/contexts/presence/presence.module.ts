import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ConnectionRepository } from './connection.repository.js';
import { PresenceService } from './presence.service.js';
import { WatchLivenessService } from './watch-liveness.service.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';

@Module({
  imports: [ProjectionsModule, MailboxModule],
  providers: [ConnectionRepository, WatchPresenceRepository, PresenceService, WatchLivenessService],
  exports: [PresenceService],
})
export class PresenceModule {}
