import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceIdField,
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { CALL_DIRECTION, CALL_STATE, VIDEO_PROVIDER } from '../contracts/video-call.js';
import type {
  CallDirection,
  CallJoin,
  CallLogEntry,
  CallStatus,
  CallState,
  IceServer,
  VideoProviderName,
} from '../contracts/video-call.js';
import { CallSignalDto } from './call-notice.dto.js';

/** Callee of a video call: a child if a member calls, a member if a watch calls. */
export class CallTargetDto {
  @ReferenceField({ optional: true, description: 'Member of the family; for calls from a watch' })
  userId?: string;

  @ReferenceField({ optional: true, description: 'Child whose watch is called; for calls from a member' })
  cid?: string;
}

export class CreateVideoCallDto {
  @NestedField(() => CallTargetDto)
  to: CallTargetDto;
}

export class VideoCallReferenceDto {
  @ReferenceField()
  callId: string;
}

export class SignalVideoCallDto extends VideoCallReferenceDto {
  @NestedField(() => CallSignalDto)
  signal: CallSignalDto;
}

export class IceServerDto implements IceServer {
  @StringListField({ maxItems: 20, example: ['turn:turn.example.org:3478'] })
  urls: string[];

  @StringField({ optional: true })
  username?: string;

  @StringField({ optional: true })
  credential?: string;
}

/** Data with which this device joins audio and video. */
export class CallJoinDto implements CallJoin {
  @NestedListField(() => IceServerDto, { optional: true, maxItems: 20, description: 'With provider `webrtc`' })
  iceServers?: IceServerDto[];

  @StringField({ optional: true, description: 'URL of the LiveKit server, with provider `livekit`' })
  url?: string;

  @StringField({ optional: true, description: 'Token for this party and this call only, with provider `livekit`' })
  token?: string;

  @IntegerField({ min: 0, example: 60, description: 'Seconds until token or credentials expire' })
  expiresIn: number;
}

export class CallStandingDto implements CallStatus {
  @UuidField()
  callId: string;

  @EnumField(CALL_STATE)
  state: CallState;

  @EnumField(VIDEO_PROVIDER)
  provider: VideoProviderName;
}

export class JoinableCallDto extends CallStandingDto {
  @NestedField(() => CallJoinDto, {
    nullable: true,
    description: '`null` if there is nothing to join: the call is busy or has ended',
  })
  join: CallJoinDto | null;
}

export class ListVideoCallsDto extends PageQueryDto {
  @ReferenceField({ optional: true, description: 'Calls of this child; if omitted, the caller’s own' })
  cid?: string;
}

export class CallLogEntryDto implements CallLogEntry {
  @UuidField()
  callId: string;

  @UuidField()
  cid: string;

  @DeviceIdField()
  did: number;

  @UuidField({ description: 'The user among the two parties' })
  userId: string;

  @EnumField(CALL_DIRECTION)
  direction: CallDirection;

  @EnumField(CALL_STATE)
  state: CallState;

  @UnixMillisecondsField({ description: 'Time at which it began to ring' })
  started: number;

  @IntegerField({ min: 0, description: 'Milliseconds since it was accepted; 0 if it was not accepted' })
  duration: number;
}

export class CallLogPageDto {
  @NestedListField(() => CallLogEntryDto, { maxItems: 200 })
  items: CallLogEntryDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
