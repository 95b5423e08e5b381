import { IsIn, IsOptional, IsString, IsUrl, Matches, MinLength, ValidateIf } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS } from './text-values.js';

/** Comma-separated URLs of ICE servers (RFC 7064, RFC 7065). */
const STUN_URL_LIST = /^stuns?:[^\s,]+(,stuns?:[^\s,]+)*$/;
const TURN_URL_LIST = /^turns?:[^\s,]+(,turns?:[^\s,]+)*$/;

/** Media of video calls. */
export class CallEnvironment {
  /** Transport of call media: peer to peer (`webrtc`) or through a LiveKit server (`livekit`). */
  @SetBy('large operators')
  @IsIn(['webrtc', 'livekit'])
  VIDEO_PROVIDER: 'webrtc' | 'livekit' = 'webrtc';

  /** URL of the LiveKit server for clients; required with `livekit`, as are LIVEKIT_API_KEY and LIVEKIT_API_SECRET. */
  @SetBy('large operators')
  @ValidateIf((environment: CallEnvironment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsUrl({ ...URL_OPTIONS, protocols: ['ws', 'wss'] })
  LIVEKIT_URL?: string;

  /** API key with which the service signs access tokens of calls. */
  @SetBy('large operators')
  @ValidateIf((environment: CallEnvironment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(1)
  LIVEKIT_API_KEY?: string;

  /** Secret of LIVEKIT_API_KEY; LiveKit requires at least 32 characters. */
  @SetBy('large operators')
  @ValidateIf((environment: CallEnvironment) => environment.VIDEO_PROVIDER === 'livekit')
  @IsString()
  @MinLength(32)
  LIVEKIT_API_SECRET?: string;

  /** Comma-separated `stun:` URLs from which devices learn their public IP address. */
  @SetBy('every operator')
  @IsOptional()
  @Matches(STUN_URL_LIST, { message: 'must be comma-separated stun: URLs' })
  STUN_URLS?: string;

  /** Comma-separated `turn:` URLs of relays that share TURN_SECRET (coturn's `use-auth-secret`). */
  @SetBy('every operator')
  @IsOptional()
  @Matches(TURN_URL_LIST, { message: 'must be comma-separated turn: URLs' })
  TURN_URLS?: string;

  /** Secret from which the service creates credentials for the relays; required with TURN_URLS. */
  @SetBy('every operator')
  @ValidateIf(({ TURN_URLS, TURN_SECRET }: CallEnvironment) => TURN_URLS !== undefined || TURN_SECRET !== undefined)
  @IsString()
  @MinLength(16)
  TURN_SECRET?: string;
}
