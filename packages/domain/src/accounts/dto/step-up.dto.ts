import { ChallengeId, GivenPassword, SmsCode } from './account-fields.js';

/** Confirms a dangerous operation: the password, or a challenge of scene STEP_UP and its code. */
export class StepUpDto {
  @GivenPassword({ optional: true })
  password?: string;

  @ChallengeId({ optional: true })
  challengeId?: string;

  @SmsCode({ optional: true })
  code?: string;
}
