import { Name } from '../../kernel/dto/fields.js';
import { TimeZone } from '../../kernel/dto/time-zone.js';
import {
  AccountPhoneNumber,
  CallingCode,
  ChallengeId,
  GivenPassword,
  NewPassword,
  RefreshTokenField,
  SmsCode,
} from './account-fields.js';

/** Makes an account for the phone that the challenge was sent to. */
export class SignUpDto {
  @ChallengeId()
  challengeId!: string;

  @SmsCode()
  code!: string;

  @NewPassword({ optional: true })
  password?: string;

  @Name({ optional: true, description: 'How other members see this person', example: 'Anna' })
  nickname?: string;

  @TimeZone({ optional: true, description: 'New children start with it; Asia/Shanghai when absent' })
  timeZone?: string;
}

/** Either phone and password, or a challenge of scene SIGN_IN and its code. */
export class SignInDto {
  @CallingCode({ optional: true })
  areaCode?: string;

  @AccountPhoneNumber({ optional: true })
  phoneNumber?: string;

  @GivenPassword({ optional: true })
  password?: string;

  @ChallengeId({ optional: true })
  challengeId?: string;

  @SmsCode({ optional: true })
  code?: string;
}

export class RefreshTokenDto {
  @RefreshTokenField()
  refreshToken!: string;
}
