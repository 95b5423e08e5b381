import { Injectable } from '@nestjs/common';
import type { Phone } from '@family-watch/domain/accounts/contracts/account';
import { dialledForm } from '@family-watch/domain/accounts/dto/phone-fields';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { continueAsPublic } from '@family-watch/platform/concurrency/work-priority';
import type { KnownDevice } from '../account-secrets.js';
import { AccountRepository } from '../account.repository.js';
import { AttemptLimiterService, type Attempt } from '../attempts/attempt-limiter.service.js';
import { PasswordHasher, type HashingCaller } from './passwords.js';

/** The person or operator who proves a password. */
interface PasswordOwner {
  /** Id of the account, which the tokens of known devices name. */
  id: string;
  passwordHash: string | null;
  /** Replaces the hash by another hash of the same password. */
  renewHash: (passwordHash: string) => Promise<void>;
}

/** Origin of a sign-in. */
export interface PasswordOrigin {
  ip: string;
  device: KnownDevice | undefined;
}

/** Compares passwords and counts wrong ones, for phone numbers and login names with and without an account. */
@Injectable()
export class PasswordCheckService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly hasher: PasswordHasher,
    private readonly limiter: AttemptLimiterService,
  ) {}

  /**
   * Compares the password with the password of the phone number's account. Attempts of a device that has signed in to
   * the account count for this device only. Attempts of unknown devices count for the phone number and for the IP
   * address.
   * @returns the account, or undefined when phone number or password is wrong; both cases take the same time
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async checkByPhone(phone: Phone, password: string, origin: PasswordOrigin): Promise<AccountEntity | undefined> {
    const { areaCode, phoneNumber } = dialledForm(phone);
    const subject = `${areaCode} ${phoneNumber}`;
    const find = async () => this.toOwner(await this.accounts.findByPhone(phone));
    return (await this.check(subject, find, password, origin))?.account;
  }

  /**
   * Compares the password with that of the account that `find` returns, like {@link checkByPhone}.
   * @param subject - the claimed phone number or name, whose attempts are counted
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async check<Owner extends PasswordOwner>(
    subject: string,
    find: () => Promise<Owner | null>,
    password: string,
    { ip, device }: PasswordOrigin,
  ): Promise<Owner | undefined> {
    const strangerAttempts: Attempt[] = [
      ['password.account-address', `${subject} ${ipBlock(ip)}`],
      ['password.account-address.day', `${subject} ${ipBlock(ip)}`],
      ['password.account', subject],
      ['password.account.day', subject],
    ];
    if (!device) this.assertComparisonAllowed(strangerAttempts, 'unknown');
    await this.limiter.consumeByOrigin('sign-in', device, ip);
    const owner = await find();
    if (device && device.userId === owner?.id) {
      const kinds = ['password.device', 'password.device.day'] as const;
      return this.compare(
        owner,
        password,
        kinds.map((kind) => [kind, device.sessionId]),
        'known',
      );
    }
    // A device that is known only to another account is treated as unknown: its attempt also counts for the IP address.
    if (device) {
      continueAsPublic(ipBlock(ip));
      await this.limiter.consumeByOrigin('sign-in', undefined, ip);
    }
    return this.compare(owner, password, strangerAttempts, 'unknown');
  }

  /**
   * Compares the password of a signed-in person, like {@link checkByPhone}. Attempts are counted per account, so wrong
   * passwords of strangers, who only know the phone number, do not lock the person out.
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async checkByUser(userId: string, password: string): Promise<AccountEntity | undefined> {
    const owner = this.toOwner(await this.accounts.findById(userId));
    return (await this.compare(owner, password, [['step-up.account', userId]], 'known'))?.account;
  }

  private async compare<Owner extends PasswordOwner>(
    owner: Owner | null,
    password: string,
    attempts: readonly Attempt[],
    caller: HashingCaller,
  ): Promise<Owner | undefined> {
    this.assertComparisonAllowed(attempts, caller);
    // The attempt is counted before the comparison, so that parallel guesses cannot exceed the limit.
    for (const [kind, subject] of attempts) await this.limiter.consume(kind, subject);
    let matches: boolean;
    try {
      matches = await this.hasher.matches(password, owner?.passwordHash ?? null, caller, async (renewed) => {
        await owner?.renewHash(renewed);
      });
    } catch (error) {
      // The password was not compared, for example because the queue is full.
      await this.limiter.refund(attempts);
      throw error;
    }
    if (!owner || !matches) return undefined;
    await this.limiter.refund(attempts);
    return owner;
  }

  /**
   * Rejects an attempt whose password would not be compared, before a row is written for the attempt. This check
   * rejects most attempts of an attack.
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  private assertComparisonAllowed(attempts: readonly Attempt[], caller: HashingCaller): void {
    for (const [kind, subject] of attempts) this.limiter.assertNotExhausted(kind, subject);
    this.hasher.assertAccepting(caller);
  }

  private toOwner(account: AccountEntity | null) {
    return (
      account && {
        id: account.userId,
        passwordHash: account.passwordHash,
        renewHash: (renewed: string) => this.accounts.renewPasswordHash(account, renewed),
        account,
      }
    );
  }
}
