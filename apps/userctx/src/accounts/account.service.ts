import { Injectable } from '@nestjs/common';
import type {
  ChangePhoneDto,
  ResetPasswordDto,
  SetPasswordDto,
  StepUpDto,
  ProfileDto,
  UpdateProfileDto,
} from '@family-watch/domain/accounts/dto/profile.dto';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { AccountSecrets } from './account-secrets.js';
import { AccountRepository, PhoneTakenError } from './account.repository.js';
import { AttemptLimiterService } from './attempts/attempt-limiter.service.js';
import { SmsCodeService, type SubmittedSmsCode } from './codes/sms-code.service.js';
import { PasswordCheckService } from './credentials/password-check.service.js';
import { PasswordHasher, PasswordStrength } from './credentials/passwords.js';
import { SessionService } from './sessions/session.service.js';

/** Time after a sign-in during which the person may set the first password without a step-up. */
const FRESH_SIGN_IN_MS = 10 * 60_000;

/** The fields of an account that other rooms may read. */
export type AccountProfile = Pick<AccountEntity, 'userId' | 'nickname' | 'areaCode' | 'phoneNumber' | 'timeZone'>;

/**
 * A person's own account: profile, password and phone number. Verifies step-ups: the person re-authenticates, because a
 * stranger may use the person's unlocked phone. Every change of a password or phone number ends all other sessions of
 * the person.
 */
@Injectable()
export class AccountService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionService,
    private readonly codes: SmsCodeService,
    private readonly hasher: PasswordHasher,
    private readonly strength: PasswordStrength,
    private readonly limiter: AttemptLimiterService,
    private readonly outbox: UserctxOutbox,
    private readonly secrets: AccountSecrets,
    private readonly passwords: PasswordCheckService,
  ) {}

  /**
   * Sets the password and ends all other sessions.
   * @throws ServiceError CONFLICT when password or phone number were changed by a concurrent request
   * @throws ServiceError STEP_UP_REQUIRED, PASSWORD_TOO_WEAK, RATE_LIMITED, OVERLOADED
   */
  async setPassword(caller: Principal, { password, stepUp }: SetPasswordDto): Promise<void> {
    const account = await this.requireAccount(caller);
    if (!(await this.canSetFirstPassword(account, caller))) await this.verifyStepUp(caller.id, stepUp);
    await this.strength.assertStrong(password, [account.phoneNumber, account.nickname]);
    const passwordHash = await this.hasher.hash(password);
    await this.unitOfWork.run(async () => {
      if (!(await this.accounts.replacePassword(caller.id, account.credentialVersion, passwordHash))) {
        throw new ServiceError('CONFLICT');
      }
      await this.sessions.end(caller.id, { exceptSessionId: caller.sessionId }, 'CREDENTIALS_CHANGED');
    });
  }

  /**
   * Sets a new password and ends every session. A phone number without an account is rejected like a wrong code.
   * @throws ServiceError CODE_INVALID, PASSWORD_TOO_WEAK, CONFLICT, RATE_LIMITED, OVERLOADED
   */
  async resetPassword(request: ResetPasswordDto, ip: string): Promise<void> {
    await this.limiter.consumeByOrigin('password-reset', this.secrets.verifyDeviceToken(request.deviceToken), ip);
    await this.strength.assertStrong(request.password);
    const code = await this.codes.verify(request, 'RESET_PASSWORD');
    const account = code && (await this.accounts.findByPhone(code));
    if (!code || !account) throw new ServiceError('CODE_INVALID');
    await this.strength.assertStrong(request.password, [account.phoneNumber, account.nickname]);
    const passwordHash = await this.hasher.hash(request.password);
    const { userId, credentialVersion } = account;
    await this.unitOfWork.run(async () => {
      await this.codes.consume(code);
      if (!(await this.accounts.replacePassword(userId, credentialVersion, passwordHash))) {
        throw new ServiceError('CONFLICT');
      }
      await this.sessions.end(userId, { exceptSessionId: null }, 'CREDENTIALS_CHANGED');
    });
  }

  /**
   * Moves the account to the phone number that received the code.
   * @throws ServiceError CODE_INVALID, STEP_UP_REQUIRED, ACCOUNT_EXISTS, CONFLICT, RATE_LIMITED, OVERLOADED
   */
  async changePhone(caller: Principal, { challengeId, code: submittedCode, stepUp }: ChangePhoneDto): Promise<void> {
    const account = await this.requireAccount(caller);
    await this.verifyStepUp(caller.id, stepUp);
    const code = await this.codes.verify({ challengeId, code: submittedCode }, 'CHANGE_PHONE');
    if (!code) throw new ServiceError('CODE_INVALID');
    try {
      await this.unitOfWork.run(async () => {
        await this.codes.consume(code);
        if (!(await this.accounts.replacePhone(caller.id, account.credentialVersion, code))) {
          throw new ServiceError('CONFLICT');
        }
        await this.sessions.end(caller.id, { exceptSessionId: caller.sessionId }, 'CREDENTIALS_CHANGED');
        const key = `user:${caller.id}`;
        await this.outbox.append({ name: 'userctx.profile.changed', key, payload: { userId: caller.id } });
      });
    } catch (error) {
      if (!(error instanceof PhoneTakenError)) throw error;
      throw new ServiceError('ACCOUNT_EXISTS', { cause: error });
    }
  }

  /**
   * Verifies the password or the SMS code of a step-up. Must be called before the transaction of the operation, because
   * attempts are counted in a separate transaction and hashing takes time. Uses up a correct SMS code.
   * @throws ServiceError STEP_UP_REQUIRED when password and code are absent or wrong
   * @throws ServiceError RATE_LIMITED, OVERLOADED
   */
  async verifyStepUp(userId: string, stepUp: StepUpDto | undefined): Promise<void> {
    const { password, challengeId, code } = stepUp ?? {};
    const proven =
      password !== undefined
        ? (await this.passwords.checkByUser(userId, password)) !== undefined
        : challengeId !== undefined &&
          code !== undefined &&
          (await this.verifyStepUpCode(userId, { challengeId, code }));
    if (!proven) throw new ServiceError('STEP_UP_REQUIRED');
  }

  /** Returns the names of existing accounts. */
  findNames(userIds: readonly string[]): Promise<Pick<AccountEntity, 'userId' | 'nickname' | 'avatar'>[]> {
    return this.accounts.findNames(userIds);
  }

  async getProfile({ id }: Principal): Promise<ProfileDto> {
    return toProfile(await this.accounts.findById(id));
  }

  /** Leaves omitted fields unchanged. */
  async updateProfile(
    { id: userId }: Principal,
    { nickname, avatar, timeZone }: UpdateProfileDto,
  ): Promise<ProfileDto> {
    const account = await this.unitOfWork.run(async () => {
      const updated = await this.accounts.updateProfile(userId, { nickname, avatar, timeZone });
      await this.outbox.append({ name: 'userctx.profile.changed', key: `user:${userId}`, payload: { userId } });
      return updated;
    });
    return toProfile(account);
  }

  /**
   * Returns null when the account does not exist. Inside a transaction, the account is not erased until the transaction
   * ends, so that nothing is stored about a person who was erased meanwhile.
   */
  async findProfile(userId: string): Promise<AccountProfile | null> {
    const account = this.unitOfWork.isInTransaction
      ? await this.accounts.findByIdForKeyShare(userId)
      : await this.accounts.findById(userId);
    if (!account) return null;
    const { nickname, areaCode, phoneNumber, timeZone } = account;
    return { userId, nickname, areaCode, phoneNumber, timeZone };
  }

  /**
   * Returns whether the person may set a password without a step-up: the account has no password yet, and a recent
   * sign-in by SMS code proves possession of the phone number.
   */
  private async canSetFirstPassword(account: AccountEntity, caller: Principal): Promise<boolean> {
    if (account.passwordHash !== null) return false;
    const signedInAt = await this.sessions.signedInAt(caller);
    return signedInAt !== undefined && Date.now() - signedInAt <= FRESH_SIGN_IN_MS;
  }

  /**
   * @throws ServiceError TOKEN_REVOKED when the account no longer exists, while an access token of the account is still
   * valid
   */
  private async requireAccount({ id }: Principal): Promise<AccountEntity> {
    const account = await this.accounts.findById(id);
    if (!account) throw new ServiceError('TOKEN_REVOKED');
    return account;
  }

  /** Returns true when the code was sent to the account's current phone number. Uses the code up. */
  private async verifyStepUpCode(userId: string, submitted: SubmittedSmsCode): Promise<boolean> {
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

/**
 * @throws ServiceError TOKEN_REVOKED when the account no longer exists, while an access token of the account is still
 * valid
 */
function toProfile(account: AccountEntity | null): ProfileDto {
  if (!account) throw new ServiceError('TOKEN_REVOKED');
  const { userId, areaCode, phoneNumber, nickname, avatar, timeZone, createdAt } = account;
  const hasPassword = account.passwordHash !== null;
  return { userId, areaCode, phoneNumber, nickname, avatar, timeZone, hasPassword, createdAt };
}
