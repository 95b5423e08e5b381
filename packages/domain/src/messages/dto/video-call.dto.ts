import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceId,
  Id,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Reference,
  Text,
  TextList,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { CALL_DIRECTION, CALL_STATE, VIDEO_PROVIDER } from '../contracts/video-call.js';
import type {
  CallDirection,
  CallJoin,
  CallLogEntry,
  CallStanding,
  CallState,
  IceServer,
  VideoProviderName,
} from '../contracts/video-call.js';
import { CallSignalDto } from './call-notice.dto.js';

/** Whom to call: a member names a child, a watch names a member. */
export class CallTargetDto {
  @Reference({ optional: true, description: 'A member of the family, for a watch that calls' })
  userId?: string;

  @Reference({ optional: true, description: 'A child, for a member who calls its watch' })
  cid?: string;
}

export class CreateVideoCallDto {
  @Nested(() => CallTargetDto)
  to: CallTargetDto;
}

export class VideoCallReferenceDto {
  @Reference()
  callId: string;
}

export class SignalVideoCallDto extends VideoCallReferenceDto {
  @Nested(() => CallSignalDto)
  signal: CallSignalDto;
}

export class IceServerDto implements IceServer {
  @TextList({ maxItems: 20, example: ['turn:turn.example.org:3478'] })
  urls: string[];

  @Text({ optional: true })
  username?: string;

  @Text({ optional: true })
  credential?: string;
}

/** What this device needs for the picture. */
export class CallJoinDto implements CallJoin {
  @NestedList(() => IceServerDto, { optional: true, maxItems: 20, description: 'With provider `webrtc`' })
  iceServers?: IceServerDto[];

  @Text({ optional: true, description: 'Address of the LiveKit server, with provider `livekit`' })
  url?: string;

  @Text({ optional: true, description: 'For this person and this call alone, with provider `livekit`' })
  token?: string;

  @Integer({ min: 0, example: 60, description: 'Seconds for which token or credentials open something' })
  expiresIn: number;
}

export class CallStandingDto implements CallStanding {
  @Id()
  callId: string;

  @OneOf(CALL_STATE)
  state: CallState;

  @OneOf(VIDEO_PROVIDER)
  provider: VideoProviderName;
}

export class JoinableCallDto extends CallStandingDto {
  @Nested(() => CallJoinDto, { nullable: true, description: '`null` where there is nothing to join: busy, or over' })
  join: CallJoinDto | null;
}

export class ListVideoCallsDto extends PageQueryDto {
  @Reference({ optional: true, description: 'Calls of this child; absent means the caller’s own' })
  cid?: string;
}

export class CallLogEntryDto implements CallLogEntry {
  @Id()
  callId: string;

  @Id()
  cid: string;

  @DeviceId()
  did: number;

  @Id({ description: 'The person of the two parties' })
  userId: string;

  @OneOf(CALL_DIRECTION)
  direction: CallDirection;

  @OneOf(CALL_STATE)
  state: CallState;

  @UnixMilliseconds({ description: 'When it began to ring' })
  started: number;

  @Integer({ min: 0, description: 'Milliseconds since it was accepted; 0 for a call that was not' })
  duration: number;
}

export class CallLogPageDto {
  @NestedList(() => CallLogEntryDto, { maxItems: 200 })
  items: CallLogEntryDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
