import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoin, VideoProviderName } from '@family-watch/domain/messages/contracts/video-call';

/** Port: how the picture of a call travels. */
export abstract class VideoProvider {
  abstract readonly name: VideoProviderName;

  /**
   * What lets this principal, and nobody else, take part in the picture of this call, for at most `CALL_JOIN_TTL_SECONDS`
   * seconds. Whether it may is the caller's to know.
   */
  abstract join(callId: string, principal: PrincipalKey): Promise<CallJoin>;
}
