import { ValidateBy } from 'class-validator';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  UuidField,
  NestedField,
  EnumField,
  ReferenceField,
  StringField,
  DeviceIdField,
  IntegerField,
  NestedListField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  CALL_STATE,
  MAX_SIGNAL_BYTES,
  SIGNAL_TYPE,
  VIDEO_PROVIDER,
  CALL_DIRECTION,
  type CallSignal,
  type CallState,
  type SignalType,
  type VideoCallInPayload,
  type VideoCallOutPayload,
  type VideoProviderName,
  type CallDirection,
} from '../contracts/video-call.js';

/** Limits the size of a signal's text in bytes of UTF-8, unlike `MaxLength`, which limits characters. */
function FitsInSignal(): PropertyDecorator {
  return ValidateBy({
    name: 'fitsInSignal',
    validator: {
      validate: (value) => typeof value !== 'string' || new TextEncoder().encode(value).length <= MAX_SIGNAL_BYTES,
      defaultMessage: () => `$property must be at most ${MAX_SIGNAL_BYTES} bytes`,
    },
  });
}

/** A WebRTC signal, which the service relays to the other party of the call. */
export class CallSignalDto implements CallSignal {
  @EnumField(SIGNAL_TYPE)
  type: SignalType;

  @FitsInSignal()
  @StringField({
    minLength: 1,
    maxLength: MAX_SIGNAL_BYTES,
    description: 'SDP text, or the JSON text of a candidate',
    example: 'v=0',
  })
  data: string;
}

class CallNoticeDto {
  @UuidField()
  callId: string;

  @EnumField(VIDEO_PROVIDER)
  provider: VideoProviderName;

  @EnumField(CALL_STATE)
  state: CallState;

  @ReferenceField({
    optional: true,
    description: 'The session that accepted the call; the devices of all other sessions stop ringing',
  })
  acceptedSessionId?: string;

  @NestedField(() => CallSignalDto, { optional: true })
  signal?: CallSignal;
}

/** VideoCallInNoticeMessage. */
export class VideoCallInDto extends CallNoticeDto implements VideoCallInPayload {
  @StringField({ example: 'watch:7312904418220331' })
  from: PrincipalKey;
}

/** VideoCallOutNoticeMessage. */
export class VideoCallOutDto extends CallNoticeDto implements VideoCallOutPayload {
  @StringField({ example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b' })
  to: PrincipalKey;
}

/** Callee of a video call: `cid` if a member calls, `userId` if a watch calls. */
export class CallTargetDto {
  @ReferenceField({ optional: true, description: 'Member who is called; only for calls from a watch' })
  userId?: string;

  @ReferenceField({ optional: true, description: 'Child whose watch is called; only for calls from a member' })
  cid?: string;
}

export class CreateVideoCallDto {
  @NestedField(() => CallTargetDto, { example: { cid: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' } })
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

/** A STUN or TURN server, in the format of `RTCPeerConnection`. */
export class IceServerDto {
  @StringListField({ maxItems: 20, example: ['turn:turn.example.org:3478'] })
  urls: string[];

  @StringField({ optional: true })
  username?: string;

  @StringField({ optional: true })
  credential?: string;
}

/** Data with which the device of the caller of this operation joins audio and video. */
export class CallJoinDto {
  @NestedListField(() => IceServerDto, { optional: true, maxItems: 20, description: 'With provider `webrtc`' })
  iceServers?: IceServerDto[];

  @StringField({ optional: true, description: 'URL of the LiveKit server, with provider `livekit`' })
  url?: string;

  @StringField({ optional: true, description: 'Token for this party and this call only, with provider `livekit`' })
  token?: string;

  /** The device can request a new token or new credentials during the call. */
  @IntegerField({ min: 0, example: 60, description: 'Seconds until the token or the credentials expire' })
  expiresIn: number;
}

/** A call as returned to its parties. */
export class CallStatusDto {
  @UuidField()
  callId: string;

  @EnumField(CALL_STATE)
  state: CallState;

  @EnumField(VIDEO_PROVIDER)
  provider: VideoProviderName;
}

export class JoinableCallDto extends CallStatusDto {
  @NestedField(() => CallJoinDto, {
    nullable: true,
    description: '`null` if the call is busy or has ended',
  })
  join: CallJoinDto | null;
}

export class ListVideoCallsDto extends PageQueryDto {
  @ReferenceField({
    optional: true,
    description: 'Lists the calls of this child; if omitted, the calls of the user who sends the request',
  })
  cid?: string;
}

/** A call in the call log. */
export class CallLogEntryDto {
  @UuidField()
  callId: string;

  @UuidField()
  cid: string;

  @DeviceIdField()
  did: number;

  @UuidField({ description: 'The party that is a user; the other party is a watch' })
  userId: string;

  @EnumField(CALL_DIRECTION)
  direction: CallDirection;

  @EnumField(CALL_STATE)
  state: CallState;

  @UnixMillisecondsField({ description: 'Time at which the call began to ring' })
  started: number;

  @IntegerField({
    min: 0,
    description: 'Milliseconds from the acceptance to the end of the call, or to the present; 0 if it was not accepted',
  })
  duration: number;
}

export class CallLogPageDto {
  @NestedListField(() => CallLogEntryDto, { maxItems: 200 })
  items: CallLogEntryDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
