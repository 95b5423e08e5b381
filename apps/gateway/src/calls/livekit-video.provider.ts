import { AccessToken, RoomServiceClient, ServerError } from 'livekit-server-sdk';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { CALL_JOIN_TTL_SECONDS, VIDEO_PROVIDER } from '@family-watch/domain/messages/contracts/video-call';
import type { CallJoinDto } from '@family-watch/domain/messages/dto/video-call.dto';
import { VideoProvider } from './video-provider.js';

const REQUEST_TIMEOUT_SECONDS = 5;

interface LiveKitSettings {
  url: string;
  apiKey: string;
  apiSecret: string;
}

/**
 * Transports media through a LiveKit server, with a separate room per call. A token is valid for one room and one
 * principal and only permits taking part in the call. A second connection with the same token replaces the first,
 * because an identity can be in a room only once.
 */
export class LiveKitVideoProvider extends VideoProvider {
  readonly name = VIDEO_PROVIDER.LIVEKIT;

  private readonly rooms: RoomServiceClient;

  constructor(private readonly settings: LiveKitSettings) {
    super();
    const { url, apiKey, apiSecret } = settings;
    this.rooms = new RoomServiceClient(url, apiKey, apiSecret, { requestTimeout: REQUEST_TIMEOUT_SECONDS });
  }

  async join(callId: string, principal: PrincipalKey): Promise<CallJoinDto> {
    const { url, apiKey, apiSecret } = this.settings;
    const token = new AccessToken(apiKey, apiSecret, { identity: principal, ttl: CALL_JOIN_TTL_SECONDS });
    token.addGrant({
      room: callId,
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
      canPublishData: false,
      canUpdateOwnMetadata: false,
    });
    return { url, token: await token.toJwt(), expiresIn: CALL_JOIN_TTL_SECONDS };
  }

  /**
   * Deletes the room, which disconnects its participants. LiveKit keeps a room for some seconds after the last participant
   * has left.
   * @returns whether the room existed
   */
  async end(callId: string): Promise<boolean> {
    try {
      await this.rooms.deleteRoom(callId);
      return true;
    } catch (error) {
      if (error instanceof ServerError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
