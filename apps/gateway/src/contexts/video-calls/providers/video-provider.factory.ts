import type { Environment } from '@family-watch/platform/config/environment';
import type { Clock } from '@family-watch/event-bus/clock';
import type { VideoProvider } from './video-provider.js';
import { WebRtcVideoProvider } from './webrtc-video.provider.js';

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
