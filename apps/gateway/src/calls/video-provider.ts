import { createHmac } from 'node:crypto';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import {
  CALL_JOIN_TTL_SECONDS,
  VIDEO_PROVIDER,
  type VideoProviderName,
} from '@family-watch/domain/messages/contracts/video-call';
import type { CallJoinDto, IceServerDto } from '@family-watch/domain/messages/dto/video-call.dto';

/** Port: media transport of video calls. */
export abstract class VideoProvider {
  abstract readonly name: VideoProviderName;

  /**
   * Issues credentials with which only this principal can send and receive the media of this call, for at most
   * `CALL_JOIN_TTL_SECONDS` seconds. Does not check whether the principal may take part: callers must check that.
   */
  abstract join(callId: string, principal: PrincipalKey): Promise<CallJoinDto>;

  /**
   * Disconnects everybody from the media of an ended call. Does nothing if nobody is connected, or if the media does not
   * pass through a server. Credentials that were issued before remain valid until they expire.
   * @returns whether somebody may have been connected
   */
  abstract end(callId: string): Promise<boolean>;
}

interface WebRtcSettings {
  stunUrls: readonly string[];
  turnUrls: readonly string[];
  turnSecret: string;
  /** Unix milliseconds. */
  now: () => number;
}

/**
 * Media is sent directly between devices, which set up their connection by signals that the gateway relays. The gateway
 * issues TURN credentials that the TURN server verifies with a shared secret: coturn's `use-auth-secret`
 * (draft-uberti-behave-turn-rest-00). The credentials only permit use of the TURN server; the media is encrypted
 * between the devices.
 */
export class WebRtcVideoProvider extends VideoProvider {
  readonly name = VIDEO_PROVIDER.WEBRTC;

  constructor(private readonly settings: WebRtcSettings) {
    super();
  }

  join(_callId: string, principal: PrincipalKey): Promise<CallJoinDto> {
    const { stunUrls, turnUrls } = this.settings;
    const iceServers: IceServerDto[] = [];
    if (stunUrls.length > 0) iceServers.push({ urls: [...stunUrls] });
    if (turnUrls.length > 0) iceServers.push({ urls: [...turnUrls], ...this.createTurnCredentials(principal) });
    return Promise.resolve({ iceServers, expiresIn: CALL_JOIN_TTL_SECONDS });
  }

  /** The devices send to each other. Each ends the connection when it learns that the call has ended. */
  end(): Promise<boolean> {
    return Promise.resolve(false);
  }

  private createTurnCredentials(principal: PrincipalKey): Required<Pick<IceServerDto, 'username' | 'credential'>> {
    const expiry = Math.floor(this.settings.now() / 1_000) + CALL_JOIN_TTL_SECONDS;
    const username = `${expiry}:${principal}`;
    return { username, credential: createHmac('sha1', this.settings.turnSecret).update(username).digest('base64') };
  }
}
