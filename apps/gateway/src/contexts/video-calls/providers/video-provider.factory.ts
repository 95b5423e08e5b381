import type { Environment } from '@family-watch/platform/config/environment';
import type { Clock } from '@family-watch/event-bus/clock';
import type { VideoProvider } from './video-provider.js';
import { WebRtcVideoProvider } from './webrtc-video.provider.js';

/** The provider that is configured; the library of LiveKit is loaded only where LiveKit is. */
export async function createVideoProvider(environment: Environment, clock: Clock): Promise<VideoProvider> {
  if (environment.VIDEO_PROVIDER === 'livekit') {
    const { LIVEKIT_URL: url = '', LIVEKIT_API_KEY: apiKey = '', LIVEKIT_API_SECRET: apiSecret = '' } = environment;
    const { LiveKitVideoProvider } = await import('./livekit-video.provider.js');
    return new LiveKitVideoProvider({ url, apiKey, apiSecret });
  }
  const { STUN_URLS, TURN_URLS, TURN_SECRET: turnSecret = '' } = environment;
  const now = () => clock.now();
  return new WebRtcVideoProvider({ stunUrls: listOf(STUN_URLS), turnUrls: listOf(TURN_URLS), turnSecret, now });
}

function listOf(addresses: string | undefined): string[] {
  return addresses?.split(',') ?? [];
}
