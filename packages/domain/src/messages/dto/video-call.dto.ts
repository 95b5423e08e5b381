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

/** Whom to call: a member names a child, a watch names a member. */
export class CallTargetDto {
  @ReferenceField({ optional: true, description: 'A member of the family, for a watch that calls' })
  userId?: string;

  @ReferenceField({ optional: true, description: 'A child, for a member who calls its watch' })
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

/** What this device needs for the picture. */
export class CallJoinDto implements CallJoin {
  @NestedListField(() => IceServerDto, { optional: true, maxItems: 20, description: 'With provider `webrtc`' })
  iceServers?: IceServerDto[];

  @StringField({ optional: true, description: 'Address of the LiveKit server, with provider `livekit`' })
  url?: string;

  @StringField({ optional: true, description: 'For this person and this call alone, with provider `livekit`' })
  token?: string;

  @IntegerField({ min: 0, example: 60, description: 'Seconds for which token or credentials open something' })
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
    description: '`null` where there is nothing to join: busy, or over',
  })
  join: CallJoinDto | null;
}

export class ListVideoCallsDto extends PageQueryDto {
  @ReferenceField({ optional: true, description: 'Calls of this child; absent means the caller’s own' })
  cid?: string;
}

export class CallLogEntryDto implements CallLogEntry {
  @UuidField()
  callId: string;

  @UuidField()
  cid: string;

  @DeviceIdField()
  did: number;

  @UuidField({ description: 'The person of the two parties' })
  userId: string;

  @EnumField(CALL_DIRECTION)
  direction: CallDirection;

  @EnumField(CALL_STATE)
  state: CallState;

  @UnixMillisecondsField({ description: 'When it began to ring' })
  started: number;

  @IntegerField({ min: 0, description: 'Milliseconds since it was accepted; 0 for a call that was not' })
  duration: number;
}

export class CallLogPageDto {
  @NestedListField(() => CallLogEntryDto, { maxItems: 200 })
  items: CallLogEntryDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
