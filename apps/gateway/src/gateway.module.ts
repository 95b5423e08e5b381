import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AccountErasureModule } from './contexts/account-erasure/account-erasure.module.js';
import { ConnectionsModule } from './contexts/connections/connections.module.js';
import { ConversationsModule } from './contexts/conversations/conversations.module.js';
import { DataExportsModule } from './contexts/data-exports/data-exports.module.js';
import { DiagnosisModule } from './contexts/diagnosis/diagnosis.module.js';
import { MailboxModule } from './contexts/mailbox/mailbox.module.js';
import { NotificationsModule } from './contexts/notifications/notifications.module.js';
import { PresenceModule } from './contexts/presence/presence.module.js';
import { LatestLocationsModule } from './contexts/projections/latest-locations.module.js';
import { ProjectionsModule } from './contexts/projections/projections.module.js';
import { VideoCallsModule } from './contexts/video-calls/video-calls.module.js';
import { WatchesModule } from './contexts/watches/watches.module.js';
import { gatewayInfrastructure } from './infrastructure/gateway-infrastructure.js';
import type { GatewayDependencies } from './infrastructure/gateway-infrastructure.js';

/** Feature modules of the gateway. */
const GATEWAY_CONTEXTS = [
  ProjectionsModule,
  MailboxModule,
  LatestLocationsModule,
  PresenceModule,
  NotificationsModule,
  ConversationsModule,
  WatchesModule,
  ConnectionsModule,
  VideoCallsModule,
  DiagnosisModule,
  AccountErasureModule,
  DataExportsModule,
];

/** The gateway app: client connections, mailboxes, and the messages that they deliver. */
@Module({})
export class GatewayModule {
  static forRoot(dependencies: GatewayDependencies): DynamicModule {
    return {
      module: GatewayModule,
      imports: [gatewayInfrastructure(dependencies), ...GATEWAY_CONTEXTS],
    };
  }
}
