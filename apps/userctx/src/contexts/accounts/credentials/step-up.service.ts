import { Injectable } from '@nestjs/common';
import type { StepUpDto } from '@family-watch/domain/accounts/dto/profile.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccountRepository } from '../account.repository.js';
import { PasswordCheckService } from './password-check.service.js';
import { SmsCodeService } from '../codes/sms-code.service.js';
import type { SubmittedSmsCode } from '../codes/sms-code.service.js';

/** Verifies a step-up: the person re-authenticates, because a stranger may use the person's unlocked phone. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly passwords: PasswordCheckService,
    private readonly codes: SmsCodeService,
  ) {}

  /**
   * Verifies the password or the SMS code. Must be called before the transaction of the operation, because it hashes
   * passwords and commits its attempt counters separately. Uses up a correct SMS code.
   * @throws ServiceError STEP_UP_REQUIRED when the proof is absent or wrong
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async verify(userId: string, stepUp: StepUpDto | undefined): Promise<void> {
    const { password, challengeId, code } = stepUp ?? {};
    const proven =
      password !== undefined
        ? (await this.passwords.checkByUser(userId, password)) !== undefined
        : challengeId !== undefined && code !== undefined && (await this.verifyCode(userId, { challengeId, code }));
    if (!proven) throw new ServiceError('STEP_UP_REQUIRED');
  }

  /** Returns true when the code was sent to the account's current phone number. Uses the code up. */
  private async verifyCode(userId: string, submitted: SubmittedSmsCode): Promise<boolean> {
    const code = await this.codes.verify(submitted, 'STEP_UP');
    if (!code) return false;
    const account = await this.accounts.findByPhone(code);
    if (account?.userId !== userId) return false;
    try {
      await this.codes.consume(code);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }
}
