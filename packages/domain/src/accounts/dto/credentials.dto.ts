import { NestedField } from '../../kernel/dto/fields.js';
import { ChallengeIdField, DeviceTokenField, NewPasswordField, SmsCodeField } from './account-fields.js';
import { StepUpDto } from './step-up.dto.js';

/** Sets a password. The step-up is optional within ten minutes of the sign-in if the account has no password. */
export class SetPasswordDto {
  @NewPasswordField()
  password!: string;

  @NestedField(() => StepUpDto, { optional: true, description: 'The current password, or a code of scene STEP_UP' })
  stepUp?: StepUpDto;
}

/** Sets a new password for the owner of the phone number. The SMS challenge must be of scene RESET_PASSWORD. */
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

  @NestedField(() => StepUpDto, { optional: true, description: 'The password, or a code sent to the current number' })
  stepUp?: StepUpDto;
}
