import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { MessageCenterModule } from '../message-center/message-center.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { CallAccessService } from './call-access.service.js';
import { CallJoinService } from './call-join.service.js';
import { CallLogRepository } from './call-log.repository.js';
import { CallLogService } from './call-log.service.js';
import { CallNoticesService } from './call-notices.service.js';
import { CallMonitorService } from './call-monitor.service.js';
import { CallRulesService } from './call-rules.service.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallsEventHandlers } from './video-calls.event-handlers.js';
import { createVideoProvider } from './providers/video-provider.factory.js';
import { VideoProvider } from './providers/video-provider.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoCallsController } from './video-calls.controller.js';
import { VideoCallsService } from './video-calls.service.js';

/** Video calls between members and children's watches: call state, notices, and media credentials. */
@Module({
  imports: [ProjectionsModule, MailboxModule, MessageCenterModule, PresenceModule],
  controllers: [VideoCallsController],
  providers: [
    CallAccessService,
    CallJoinService,
    CallLogService,
    CallLogRepository,
    CallNoticesService,
    CallMonitorService,
    CallRulesService,
    CallTransitionsService,
    VideoCallsEventHandlers,
    VideoCallRepository,
    VideoCallsService,
    { provide: VideoProvider, useFactory: createVideoProvider, inject: [Environment, CLOCK] },
  ],
})
export class VideoCallsModule {}
