import {
  NestedField,
  BooleanField,
  UuidField,
  NameField,
  StringField,
  UnixMillisecondsField,
  TimeZoneField,
} from '../../kernel/dto/fields.js';
import {
  ChallengeIdField,
  CurrentPasswordField,
  SmsCodeField,
  DeviceTokenField,
  NewPasswordField,
} from './account-fields.js';
import { AccountPhoneNumberField, CallingCodeField } from './phone-fields.js';

/** Confirms a sensitive operation: either the password, or an SMS challenge of scene STEP_UP and its code. */
export class StepUpDto {
  @CurrentPasswordField({ optional: true })
  password?: string;

  @ChallengeIdField({ optional: true })
  challengeId?: string;

  @SmsCodeField({ optional: true })
  code?: string;
}

/** The step-up of a request for a sensitive operation. */
export function StepUpField(description: string): PropertyDecorator {
  const example = { password: 'zebra-piano-41-rain' };
  return NestedField(() => StepUpDto, { optional: true, description, example });
}

/**
 * Sets a password. The step-up may be omitted if the account has no password and the caller signed in less than ten
 * minutes ago.
 */
export class SetPasswordDto {
  @NewPasswordField()
  password!: string;

  @StepUpField('The current password, or a code of scene STEP_UP')
  stepUp?: StepUpDto;
}

/** Sets a new password for the account of a phone number. The SMS challenge must be of scene RESET_PASSWORD. */
export class ResetPasswordDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NewPasswordField()
  password!: string;

  @DeviceTokenField({ optional: true })
  deviceToken?: string;
}

/** Changes the phone number. The SMS challenge must be of scene CHANGE_PHONE and sent to the new number. */
export class ChangePhoneDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @StepUpField('The password, or a code sent to the current number')
  stepUp?: StepUpDto;
}

/** The caller's own account. */
export class ProfileDto {
  @UuidField()
  userId!: string;

  @CallingCodeField({ description: 'Country calling code, with +' })
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;

  @NameField({ example: 'Anna' })
  nickname!: string;

  @StringField({
    nullable: true,
    maxLength: 512,
    description: 'Reference to an image, such as its URL; the service stores it and does not open it',
    example: 'media/5b1c',
  })
  avatar!: string | null;

  @TimeZoneField()
  timeZone!: string;

  @BooleanField({
    description: 'False if the account has no password, so that the person signs in by SMS code',
    example: true,
  })
  hasPassword!: boolean;

  @UnixMillisecondsField()
  createdAt!: number;
}

/** Omitted fields are unchanged. */
export class UpdateProfileDto {
  @NameField({ optional: true, description: 'Name that other members see', example: 'Anna' })
  nickname?: string;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 512,
    description:
      'Reference to an image, such as its URL; the service stores it and does not open it. null removes the image',
    example: 'media/5b1c',
  })
  avatar?: string | null;

  @TimeZoneField({ optional: true, description: 'IANA time zone; also the default time zone of new children' })
  timeZone?: string;
}
