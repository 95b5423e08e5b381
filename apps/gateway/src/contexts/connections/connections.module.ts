import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { LatestLocationsModule } from '../projections/latest-locations.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { ClientEventDispatcherService } from './client-event-dispatcher.service.js';
import { ConnectionRegistryService } from './connection-registry.service.js';
import { ConnectionsGateway } from './connections.gateway.js';
import { HandshakeService } from './handshake.service.js';
import { RefusedHandshakesService } from './refused-handshakes.service.js';
import { SessionExpiryService } from './session-expiry.service.js';

@Module({
  imports: [DiscoveryModule, ProjectionsModule, MailboxModule, LatestLocationsModule, PresenceModule],
  providers: [
    ConnectionRegistryService,
    ConnectionsGateway,
    ClientEventDispatcherService,
    HandshakeService,
    RefusedHandshakesService,
    SessionExpiryService,
  ],
  exports: [ConnectionRegistryService],
})
export class ConnectionsModule {}
