import { Injectable } from '@nestjs/common';
import type { StepUpDto } from '@family-watch/domain/accounts/dto/step-up.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccountRepository } from '../account.repository.js';
import { PasswordCheckService } from './password-check.service.js';
import { SmsCodeService } from '../codes/sms-code.service.js';
import type { SubmittedSmsCode } from '../codes/sms-code.service.js';

/** Fresh proof that the person, not just the phone in somebody's hand, asks for a dangerous operation. */
@Injectable()
export class StepUpService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly passwords: PasswordCheckService,
    private readonly codes: SmsCodeService,
  ) {}

  /**
   * Call it before the unit of work: it hashes, and its counters commit on their own. A code is used up by it.
   * @throws ServiceError STEP_UP_REQUIRED when the proof is absent or wrong; RATE_LIMITED, OVERLOADED
   */
  async verify(userId: string, stepUp: StepUpDto | undefined): Promise<void> {
    const { password, challengeId, code } = stepUp ?? {};
    const proven =
      password !== undefined
        ? (await this.passwords.checkByUser(userId, password)) !== undefined
        : challengeId !== undefined && code !== undefined && (await this.holdsPhone(userId, { challengeId, code }));
    if (!proven) throw new ServiceError('STEP_UP_REQUIRED');
  }

  /** The code must have gone to the phone that the account has now. */
  private async holdsPhone(userId: string, given: SubmittedSmsCode): Promise<boolean> {
    const code = await this.codes.verify(given, 'STEP_UP');
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
