import { randomInt, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/phone';
import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { SignInDto, SignUpDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { TokensDto } from '@family-watch/domain/accounts/dto/tokens.dto';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entity';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { AccountRepository } from '../account.repository.js';
import { ipBlock } from '../attempts/ip-block.js';
import { AttemptLimiterService } from '../attempts/attempt-limiter.service.js';
import { PasswordCheckService } from '../credentials/password-check.service.js';
import { PasswordHasher } from '../credentials/password-hasher.js';
import { PasswordStrength } from '../credentials/password-strength.js';
import { SessionService } from './session.service.js';
import type { IssuedSession } from './session.service.js';
import { SmsCodeService } from '../codes/sms-code.service.js';
import type { SubmittedSmsCode } from '../codes/sms-code.service.js';

/** The specification's phone numbers are those of mainland China. */
const DEFAULT_TIME_ZONE = 'Asia/Shanghai';

/** Where a request came from. */
export interface RequestOrigin {
  address: string;
  /** User-Agent. */
  client?: string;
}

/** The two ways in: a new account, and an old one. */
@Injectable()
export class SignInService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly accounts: AccountRepository,
    private readonly sessions: SessionService,
    private readonly codes: SmsCodeService,
    private readonly passwords: PasswordCheckService,
    private readonly hasher: PasswordHasher,
    private readonly strength: PasswordStrength,
    private readonly limiter: AttemptLimiterService,
  ) {}

  /**
   * Makes an account. That the phone has one already is told only to who holds the phone's code.
   * @throws ServiceError CODE_INVALID, PASSWORD_TOO_WEAK, ACCOUNT_EXISTS, RATE_LIMITED, OVERLOADED
   */
  async signUp(request: SignUpDto, { address, client }: RequestOrigin): Promise<TokensDto> {
    await this.limiter.consume('sign-up.address', ipBlock(address));
    const { password, nickname } = request;
    if (password !== undefined) this.strength.assertStrong(password, nickname === undefined ? [] : [nickname]);
    const code = await this.codes.verify(request, 'SIGN_UP');
    if (!code) throw new ServiceError('CODE_INVALID');
    if (password !== undefined) this.strength.assertStrong(password, [code.phoneNumber]);
    const passwordHash = password === undefined ? null : await this.hasher.hash(password);
    const account = newAccount(code, passwordHash, request);
    const session = await this.unitOfWork.run(async () => {
      await this.codes.consume(code);
      // The refusal is thrown after the commit: the code has told what it can tell, and is used up.
      return (await this.accounts.insert(account)) ? this.sessions.create(account.userId, client) : undefined;
    });
    if (!session) throw new ServiceError('ACCOUNT_EXISTS');
    return this.sessions.issue(session);
  }

  /**
   * Every wrong pair of phone and password, and every wrong code, is refused alike, in text and in time.
   * @throws ServiceError CREDENTIALS_INVALID, RATE_LIMITED, OVERLOADED; VALIDATION_FAILED when it is neither pair
   */
  async signIn(request: SignInDto, { address, client }: RequestOrigin): Promise<TokensDto> {
    const { areaCode, phoneNumber, password, challengeId, code } = request;
    const given = challengeId !== undefined && code !== undefined ? { challengeId, code } : undefined;
    if (given) return this.signInByCode(given, { address, client });
    if (areaCode === undefined || phoneNumber === undefined || password === undefined) throw neitherPair();
    await this.limiter.consume('sign-in.address', ipBlock(address));
    const phone = { areaCode: normalizeAreaCode(areaCode), phoneNumber };
    const account = await this.passwords.checkByPhone(phone, password);
    if (!account) throw new ServiceError('CREDENTIALS_INVALID');
    return this.enter(account, client);
  }

  private async signInByCode(given: SubmittedSmsCode, { address, client }: RequestOrigin): Promise<TokensDto> {
    await this.limiter.consume('sign-in.address', ipBlock(address));
    const code = await this.codes.verify(given, 'SIGN_IN');
    const account = code && (await this.accounts.findByPhone(code));
    if (!code || !account) throw new ServiceError('CREDENTIALS_INVALID');
    return this.enter(account, client, () => this.codes.consume(code));
  }

  /** Opens a session, unless password or phone changed since they were checked. */
  private async enter(
    account: AccountEntity,
    client: string | undefined,
    before?: () => Promise<void>,
  ): Promise<TokensDto> {
    const { userId, credentialVersion } = account;
    const session = await this.unitOfWork.run(async () => {
      await before?.();
      if (!(await this.accounts.lockCredentialsForShare(userId, credentialVersion))) {
        throw new ServiceError('CREDENTIALS_INVALID');
      }
      const opened = await this.sessions.create(userId, client);
      await this.tellStarted(opened);
      return opened;
    });
    return this.sessions.issue(session);
  }

  /** The person's other devices are told: it may have been somebody else. */
  private async tellStarted({ userId, sessionId }: IssuedSession): Promise<void> {
    const payload = { userId, sessionId, time: Date.now() };
    await this.outbox.append({ name: 'userctx.session.started', key: `user:${userId}`, payload });
  }
}

function newAccount(phone: Phone, passwordHash: string | null, { nickname, timeZone }: SignUpDto): AccountEntity {
  const now = Date.now();
  return {
    userId: randomUUID(),
    areaCode: phone.areaCode,
    phoneNumber: phone.phoneNumber,
    // Other members see it, so it says nothing of the phone number.
    nickname: nickname ?? `User ${randomInt(1_000, 10_000)}`,
    avatar: null,
    timeZone: timeZone ?? DEFAULT_TIME_ZONE,
    passwordHash,
    credentialVersion: 1,
    createdAt: now,
    updatedAt: now,
  };
}

function neitherPair(): ServiceError {
  return validationError('', 'isSignIn', 'give areaCode, phoneNumber and password, or challengeId and code');
}
