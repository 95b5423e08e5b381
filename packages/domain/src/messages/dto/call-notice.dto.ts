import { ValidateBy } from 'class-validator';
import { UuidField, NestedField, EnumField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { CALL_STATE, MAX_SIGNAL_BYTES, SIGNAL_TYPE, VIDEO_PROVIDER } from '../contracts/video-call.js';
import type {
  CallSignal,
  CallState,
  SignalType,
  VideoCallInPayload,
  VideoCallOutPayload,
  VideoProviderName,
} from '../contracts/video-call.js';

/** Limits the size in bytes of UTF-8, not in characters. */
function FitsInSignal(): PropertyDecorator {
  return ValidateBy({
    name: 'fitsInSignal',
    validator: {
      validate: (value) => typeof value !== 'string' || new TextEncoder().encode(value).length <= MAX_SIGNAL_BYTES,
      defaultMessage: () => `$property must be at most ${MAX_SIGNAL_BYTES} bytes`,
    },
  });
}

/** A WebRTC signal for the other party. */
export class CallSignalDto implements CallSignal {
  @EnumField(SIGNAL_TYPE)
  type: SignalType;

  @FitsInSignal()
  @StringField({ minLength: 1, maxLength: MAX_SIGNAL_BYTES, description: 'SDP text, or the JSON text of a candidate' })
  data: string;
}

class CallNoticeDto {
  @UuidField()
  callId: string;

  @EnumField(VIDEO_PROVIDER)
  provider: VideoProviderName;

  @EnumField(CALL_STATE)
  state: CallState;

  @ReferenceField({ optional: true, description: 'The session that accepted; all other devices stop ringing' })
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
