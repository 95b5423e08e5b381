import { NestedField } from '../../kernel/dto/fields.js';
import { ChallengeIdField, NewPasswordField, SmsCodeField } from './account-fields.js';
import { StepUpDto } from './step-up.dto.js';

/** A new password. The step-up may be absent while the account has none and the sign-in is under ten minutes old. */
export class SetPasswordDto {
  @NewPasswordField()
  password!: string;

  @NestedField(() => StepUpDto, { optional: true, description: 'The password so far, or a code of scene STEP_UP' })
  stepUp?: StepUpDto;
}

/** A new password for whoever holds the phone; the challenge is of scene RESET_PASSWORD. */
export class ResetPasswordDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NewPasswordField()
  password!: string;
}

/** The challenge is of scene CHANGE_PHONE and went to the new phone. */
export class ChangePhoneDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NestedField(() => StepUpDto, { optional: true, description: 'The password, or a code sent to the phone so far' })
  stepUp?: StepUpDto;
}
