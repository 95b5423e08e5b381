import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { ClientEventDispatcherService } from './client-event-dispatcher.service.js';
import { ConnectionRegistryService } from './connection-registry.service.js';
import { ConnectionsGateway } from './connections.gateway.js';
import { HandshakeService } from './handshake.service.js';
import { PresenceRepository } from './presence/presence.repository.js';
import { PresenceService } from './presence/presence.service.js';
import { WatchLivenessService } from './presence/watch-liveness.service.js';
import { RefusedHandshakesService } from './refused-handshakes.service.js';
import { SessionExpiryService } from './session-expiry.service.js';
import { WatchReportsService } from './watch-reports/watch-reports.service.js';
import { WatchesGateway } from './watch-reports/watches.gateway.js';

/**
 * Socket connections: handshake, sessions, the events of clients and their limits, presence across the nodes, and
 * what watches report over the socket.
 *
 * - Parts: `presence/`, `watch-reports/`.
 * - Tables: `connection`, `node`, `watch_presence`.
 * - Publishes: `gateway.location.reported`, `gateway.watch.presence-changed`, `gateway.watch.shut-down`,
 *   `gateway.watch.started`, `gateway.watch.status-reported`.
 * - Needs: projections, mailbox.
 */
@Module({
  imports: [DiscoveryModule, MailboxModule, ProjectionsModule],
  providers: [
    ConnectionRegistryService,
    ConnectionsGateway,
    ClientEventDispatcherService,
    HandshakeService,
    RefusedHandshakesService,
    SessionExpiryService,
    PresenceRepository,
    PresenceService,
    WatchLivenessService,
    WatchesGateway,
    WatchReportsService,
  ],
  exports: [ConnectionRegistryService, PresenceService],
})
export class ConnectionsModule {}
