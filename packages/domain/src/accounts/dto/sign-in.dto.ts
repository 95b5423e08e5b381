import { NameField } from '../../kernel/dto/fields.js';
import { TimeZoneField } from '../../kernel/dto/time-zone.js';
import {
  AccountPhoneNumberField,
  CallingCodeField,
  ChallengeIdField,
  CurrentPasswordField,
  NewPasswordField,
  RefreshTokenField,
  SmsCodeField,
} from './account-fields.js';

/** Makes an account for the phone that the challenge was sent to. */
export class SignUpDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NewPasswordField({ optional: true })
  password?: string;

  @NameField({ optional: true, description: 'How other members see this person', example: 'Anna' })
  nickname?: string;

  @TimeZoneField({ optional: true, description: 'New children start with it; Asia/Shanghai when absent' })
  timeZone?: string;
}

/** Either phone and password, or a challenge of scene SIGN_IN and its code. */
export class SignInDto {
  @CallingCodeField({ optional: true })
  areaCode?: string;

  @AccountPhoneNumberField({ optional: true })
  phoneNumber?: string;

  @CurrentPasswordField({ optional: true })
  password?: string;

  @ChallengeIdField({ optional: true })
  challengeId?: string;

  @SmsCodeField({ optional: true })
  code?: string;
}

export class RefreshTokenDto {
  @RefreshTokenField()
  refreshToken!: string;
}
