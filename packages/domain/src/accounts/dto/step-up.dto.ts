import { ChallengeIdField, CurrentPasswordField, SmsCodeField } from './account-fields.js';

/** Confirms a sensitive operation: either the password, or an SMS challenge of scene STEP_UP and its code. */
export class StepUpDto {
  @CurrentPasswordField({ optional: true })
  password?: string;

  @ChallengeIdField({ optional: true })
  challengeId?: string;

  @SmsCodeField({ optional: true })
  code?: string;
}
