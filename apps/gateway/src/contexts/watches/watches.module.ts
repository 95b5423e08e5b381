import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { HeartbeatEventsService } from './heartbeat-events.service.js';
import { LocationEventsService } from './location-events.service.js';
import { PowerEventsService } from './power-events.service.js';

@Module({
  imports: [FamiliesModule, MailboxModule, PresenceModule],
  providers: [HeartbeatEventsService, LocationEventsService, PowerEventsService],
})
export class WatchesModule {}
