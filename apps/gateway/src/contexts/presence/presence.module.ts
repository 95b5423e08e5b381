import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ConnectionRepository } from './connection.repository.js';
import { PresenceService } from './presence.service.js';
import { WatchLivenessService } from './watch-liveness.service.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [ConnectionRepository, WatchPresenceRepository, PresenceService, WatchLivenessService],
  exports: [PresenceService],
})
export class PresenceModule {}
