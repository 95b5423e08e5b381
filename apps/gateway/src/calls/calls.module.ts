import { Module } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { Environment } from '@family-watch/platform/config/environment';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { MailboxModule } from '../mailbox/mailbox.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ProjectionsModule } from '../projections/projections.module.js';
import { CallAccessService } from './call-access.service.js';
import { CallLogService } from './call-log.service.js';
import { CallMediaService } from './call-media.service.js';
import { CallMonitorService } from './call-monitor.service.js';
import { CallTransitionsService } from './call-transitions.service.js';
import { VideoCallRepository } from './video-call.repository.js';
import { VideoCallsController, VideoTokenController } from './video-calls.controller.js';
import { VideoCallsEventHandlers } from './video-calls.event-handlers.js';
import { VideoCallsService } from './video-calls.service.js';
import { VideoProvider, WebRtcVideoProvider } from './video-provider.js';

/**
 * Video calls between members and children's watches: the state of a call, its notices, and media credentials
 * (LiveKit or WebRTC with STUN and TURN).
 *
 * - Tables: `video_call`.
 * - Publishes: nothing.
 * - Needs: projections, mailbox, connections, notifications.
 */
@Module({
  imports: [ProjectionsModule, MailboxModule, NotificationsModule, ConnectionsModule],
  controllers: [VideoCallsController, VideoTokenController],
  providers: [
    CallAccessService,
    CallLogService,
    CallMediaService,
    CallMonitorService,
    CallTransitionsService,
    VideoCallsEventHandlers,
    VideoCallRepository,
    VideoCallsService,
    { provide: VideoProvider, useFactory: createVideoProvider, inject: [Environment, CLOCK] },
  ],
  exports: [CallLogService],
})
export class CallsModule {}

/** Creates the configured provider. Loads LiveKit's library only if LiveKit is configured. */
export async function createVideoProvider(environment: Environment, clock: Clock): Promise<VideoProvider> {
  if (environment.VIDEO_PROVIDER === 'livekit') {
    const { LIVEKIT_URL: url = '', LIVEKIT_API_KEY: apiKey = '', LIVEKIT_API_SECRET: apiSecret = '' } = environment;
    const { LiveKitVideoProvider } = await import('./livekit-video.provider.js');
    return new LiveKitVideoProvider({ url, apiKey, apiSecret });
  }
  const { STUN_URLS, TURN_URLS, TURN_SECRET: turnSecret = '' } = environment;
  const now = () => clock.now();
  return new WebRtcVideoProvider({ stunUrls: parseUrls(STUN_URLS), turnUrls: parseUrls(TURN_URLS), turnSecret, now });
}

function parseUrls(urls: string | undefined): string[] {
  return urls?.split(',') ?? [];
}
