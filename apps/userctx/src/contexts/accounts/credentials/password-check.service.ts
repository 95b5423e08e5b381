import { Injectable } from '@nestjs/common';
import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entity';
import { AccountRepository } from '../account.repository.js';
import { AttemptLimiterService } from '../attempts/attempt-limiter.service.js';
import type { AttemptKind } from '../attempts/attempt-limiter.service.js';
import { PasswordHasher } from './password-hasher.js';

/** Compares passwords and counts wrong ones, for phone numbers with and without an account. */
@Injectable()
export class PasswordCheckService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly hasher: PasswordHasher,
    private readonly limiter: AttemptLimiterService,
  ) {}

  /**
   * @returns the account, or undefined when phone number or password is wrong; both cases take the same time
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async checkByPhone(phone: Phone, password: string): Promise<AccountEntity | undefined> {
    const subject = `${phone.areaCode} ${phone.phoneNumber}`;
    const account = await this.accounts.findByPhone(phone);
    return this.compare(account, password, ['password.account', 'password.account.day'], subject);
  }

  /**
   * Like {@link checkByPhone}, for a signed-in person. Attempts are counted per account, so wrong passwords of
   * strangers, who only know the phone number, do not lock the person out.
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async checkByUser(userId: string, password: string): Promise<AccountEntity | undefined> {
    return this.compare(await this.accounts.findById(userId), password, ['step-up.account'], userId);
  }

  private async compare(
    account: AccountEntity | null,
    password: string,
    kinds: readonly AttemptKind[],
    subject: string,
  ): Promise<AccountEntity | undefined> {
    // The attempt is counted before the comparison, so that parallel guesses cannot exceed the limit.
    for (const kind of kinds) await this.limiter.consume(kind, subject);
    const matches = await this.hasher.matches(password, account?.passwordHash ?? null);
    if (!account || !matches) return undefined;
    for (const kind of kinds) await this.limiter.refund(kind, subject);
    return account;
  }
}
