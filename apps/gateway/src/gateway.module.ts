import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ProjectionsModule } from './contexts/projections/projections.module.js';
import { ConnectionsModule } from './contexts/connections/connections.module.js';
import { ConversationsModule } from './contexts/conversations/conversations.module.js';
import { MailboxModule } from './contexts/mailbox/mailbox.module.js';
import { MessageCenterModule } from './contexts/message-center/message-center.module.js';
import { NoticesModule } from './contexts/notices/notices.module.js';
import { LatestLocationsModule } from './contexts/projections/latest-locations.module.js';
import { PresenceModule } from './contexts/presence/presence.module.js';
import { PushModule } from './contexts/push/push.module.js';
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
  NoticesModule,
  MessageCenterModule,
  ConversationsModule,
  WatchesModule,
  ConnectionsModule,
  PushModule,
  VideoCallsModule,
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
