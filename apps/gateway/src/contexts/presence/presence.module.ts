import { Module } from '@nestjs/common';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';
import { WatchLivenessService } from './watch-liveness.service.js';

@Module({
  imports: [ProjectionsModule, MailboxModule],
  providers: [PresenceRepository, PresenceService, WatchLivenessService],
  exports: [PresenceService],
})
export class PresenceModule {}
