import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ConnectionRepository } from './connection.repository.js';
import { NodeLeaseJob } from './node-lease.job.js';
import { PresenceService } from './presence.service.js';
import { WatchOfflineJob } from './watch-offline.job.js';
import { WatchPresenceRepository } from './watch-presence.repository.js';

@Module({
  imports: [FamiliesModule, MailboxModule],
  providers: [ConnectionRepository, WatchPresenceRepository, PresenceService, NodeLeaseJob, WatchOfflineJob],
  exports: [PresenceService],
})
export class PresenceModule {}
