import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoin, VideoProviderName } from '@family-watch/domain/messages/contracts/video-call';

/** Port: media transport of video calls. */
export abstract class VideoProvider {
  abstract readonly name: VideoProviderName;

  /**
   * Issues credentials with which only this principal can send and receive the media of this call, for at most
   * `CALL_JOIN_TTL_SECONDS` seconds. Does not check whether the principal may take part: callers must check that.
   */
  abstract join(callId: string, principal: PrincipalKey): Promise<CallJoin>;
}
