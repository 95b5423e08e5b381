import { Module } from '@nestjs/common';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { HeartbeatEvents } from './heartbeat-events.service.js';
import { LocationEvents } from './location-events.service.js';
import { PowerEvents } from './power-events.service.js';

@Module({
  imports: [FamiliesModule, MailboxModule, PresenceModule],
  providers: [HeartbeatEvents, LocationEvents, PowerEvents],
})
export class WatchesModule {}
