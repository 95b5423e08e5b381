import { NameField } from '../../kernel/dto/fields.js';
import { TimeZoneField } from '../../kernel/dto/time-zone.js';
import {
  AccountPhoneNumberField,
  CallingCodeField,
  ChallengeIdField,
  CurrentPasswordField,
  DeviceTokenField,
  NewPasswordField,
  RefreshTokenField,
  SmsCodeField,
} from './account-fields.js';

/** Creates an account for the phone number to which the SMS challenge was sent. */
export class SignUpDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NewPasswordField({ optional: true })
  password?: string;

  @NameField({ optional: true, description: 'Name that other members see', example: 'Anna' })
  nickname?: string;

  @TimeZoneField({ optional: true, description: 'IANA time zone; default for new children. Asia/Shanghai if omitted' })
  timeZone?: string;
}

/** Credentials: either phone number and password, or an SMS challenge of scene SIGN_IN and its code. */
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

  @DeviceTokenField({ optional: true })
  deviceToken?: string;
}

export class RefreshTokenDto {
  @RefreshTokenField()
  refreshToken!: string;
}
