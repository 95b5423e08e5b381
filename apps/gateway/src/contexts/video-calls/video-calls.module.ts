import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { ChildRulesModule } from '../child-rules/child-rules.module.js';
import { FamiliesModule } from '../families/families.module.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { MessageCenterModule } from '../message-center/message-center.module.js';
import { PresenceModule } from '../presence/presence.module.js';
import { CallAccess } from './call-access.service.js';
import { CallDueJob } from './call-due.job.js';
import { CallJoins } from './call-joins.service.js';
import { CallLogRepository } from './call-log.repository.js';
import { CallLog } from './call-log.service.js';
import { CallNotices } from './call-notices.service.js';
import { CallPartiesJob } from './call-parties.job.js';
import { CallRetentionJob } from './call-retention.job.js';
import { CallRules } from './call-rules.service.js';
import { CallSignalPurgeJob } from './call-signal-purge.job.js';
import { CallSignalRepository } from './call-signal.repository.js';
import { CallTransitions } from './call-transitions.service.js';
import { EndForbiddenCallsHandler } from './on-child-rules-changed.handler.js';
import { ForgetCallsHandler } from './on-child-erased.handler.js';
import { EndSeveredCallsHandler } from './on-family-changed.handler.js';
import { createVideoProvider } from './providers/video-provider.factory.js';
import { VideoProvider } from './providers/video-provider.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoCallsController } from './video-calls.controller.js';
import { VideoCallsService } from './video-calls.service.js';

/** Calls between members and the watches of their children: who rings whom, and what their devices need. */
@Module({
  imports: [ChildRulesModule, FamiliesModule, MailboxModule, MessageCenterModule, PresenceModule],
  controllers: [VideoCallsController],
  providers: [
    CallAccess,
    CallDueJob,
    CallJoins,
    CallLog,
    CallLogRepository,
    CallNotices,
    CallPartiesJob,
    CallRetentionJob,
    CallRules,
    CallSignalPurgeJob,
    CallSignalRepository,
    CallTransitions,
    EndForbiddenCallsHandler,
    EndSeveredCallsHandler,
    ForgetCallsHandler,
    VideoCallRepository,
    VideoCallsService,
    { provide: VideoProvider, useFactory: createVideoProvider, inject: [Environment, CLOCK] },
  ],
})
export class VideoCallsModule {}
