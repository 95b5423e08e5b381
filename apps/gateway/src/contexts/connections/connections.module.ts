import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { PositionsModule } from '../positions/positions.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { ClientEventsRegistry } from './client-events.registry.js';
import { ConnectionRegistry } from './connection-registry.service.js';
import { ConnectionsGateway } from './connections.gateway.js';
import { EventDispatcher } from './event-dispatcher.service.js';
import { Handshake } from './handshake.service.js';
import { MailboxSweepJob } from './mailbox-sweep.job.js';
import { SessionEvents } from './session-events.service.js';
import { SessionGuard } from './session-guard.service.js';

@Module({
  imports: [DiscoveryModule, FamiliesModule, MailboxModule, PositionsModule, PresenceModule],
  providers: [
    ClientEventsRegistry,
    ConnectionRegistry,
    ConnectionsGateway,
    EventDispatcher,
    Handshake,
    MailboxSweepJob,
    SessionEvents,
    SessionGuard,
  ],
  exports: [ClientEventsRegistry, ConnectionRegistry],
})
export class ConnectionsModule {}
