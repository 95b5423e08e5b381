import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { ChildRulesModule } from '../child-rules/child-rules.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { MessageCenterModule } from '../message-center/message-center.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { CallAccessService } from './call-access.service.js';
import { CallTimeoutJob } from './call-timeout.job.js';
import { CallJoinService } from './call-join.service.js';
import { CallLogRepository } from './call-log.repository.js';
import { CallLogService } from './call-log.service.js';
import { CallNoticesService } from './call-notices.service.js';
import { CallPartyCheckJob } from './call-party-check.job.js';
import { CallRetentionJob } from './call-retention.job.js';
import { CallRulesService } from './call-rules.service.js';
import { CallSignalPurgeJob } from './call-signal-purge.job.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallsEventHandlers } from './video-calls.event-handlers.js';
import { createVideoProvider } from './providers/video-provider.factory.js';
import { VideoProvider } from './providers/video-provider.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoCallsController } from './video-calls.controller.js';
import { VideoCallsService } from './video-calls.service.js';

/** Video calls between members and children's watches: call state, notices, and media credentials. */
@Module({
  imports: [ChildRulesModule, FamiliesModule, MailboxModule, MessageCenterModule, PresenceModule],
  controllers: [VideoCallsController],
  providers: [
    CallAccessService,
    CallTimeoutJob,
    CallJoinService,
    CallLogService,
    CallLogRepository,
    CallNoticesService,
    CallPartyCheckJob,
    CallRetentionJob,
    CallRulesService,
    CallSignalPurgeJob,
    CallTransitionsService,
    VideoCallsEventHandlers,
    VideoCallRepository,
    VideoCallsService,
    { provide: VideoProvider, useFactory: createVideoProvider, inject: [Environment, CLOCK] },
  ],
})
export class VideoCallsModule {}
