import { Module, type DynamicModule } from '@nestjs/common';
import { OperationsModule } from './operations/operations.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { MailboxModule } from './mailbox/mailbox.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { CallsModule } from './calls/calls.module.js';
import { gatewayInfrastructure, type GatewayDependencies } from './infrastructure/gateway-infrastructure.js';

/** Feature modules of the gateway. */
const GATEWAY_ROOMS = [
  ProjectionsModule,
  MailboxModule,
  ConnectionsModule,
  NotificationsModule,
  ConversationsModule,
  CallsModule,
  OperationsModule,
];

/** The gateway app: client connections, mailboxes, and the messages that they deliver. */
@Module({})
export class GatewayModule {
  static forRoot(dependencies: GatewayDependencies): DynamicModule {
    return {
      module: GatewayModule,
      imports: [gatewayInfrastructure(dependencies), ...GATEWAY_ROOMS],
    };
  }
}
