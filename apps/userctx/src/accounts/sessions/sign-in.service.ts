import { Injectable } from '@nestjs/common';
import type { SignInDto, SignUpDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { AccountEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { requirePhone } from '@family-watch/domain/accounts/dto/phone-fields';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountSecrets } from '../account-secrets.js';
import { AccountRepository } from '../account.repository.js';
import { AttemptLimiterService } from '../attempts/attempt-limiter.service.js';
import { SmsCodeService, type SubmittedSmsCode } from '../codes/sms-code.service.js';
import { SignInLinkRepository } from './sign-in-link.repository.js';
import { createAccount } from '../new-account.js';
import { PasswordCheckService } from '../credentials/password-check.service.js';
import { PasswordHasher, PasswordStrength } from '../credentials/passwords.js';
import {
  SessionService,
  type IssuedTokens,
  type SessionClient,
  type SessionWithRefreshToken,
} from './session.service.js';

/** Origin of a request. */
export type RequestOrigin = Pick<SessionClient, 'ip' | 'userAgent'>;

/** Creates accounts and signs people in. */
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
    private readonly secrets: AccountSecrets,
    private readonly links: SignInLinkRepository,
  ) {}

  /**
   * Creates an account. The response reveals whether the phone number already has an account only to a caller with the
   * SMS code.
   * @throws ServiceError CODE_INVALID, PASSWORD_TOO_WEAK, ACCOUNT_EXISTS, RATE_LIMITED, OVERLOADED
   */
  async signUp(request: SignUpDto, origin: RequestOrigin): Promise<IssuedTokens> {
    await this.limiter.consume('sign-up.address', ipBlock(origin.ip));
    const { password, nickname, deviceName } = request;
    if (password !== undefined) await this.strength.assertStrong(password, nickname === undefined ? [] : [nickname]);
    const code = await this.codes.verify(request, 'SIGN_UP');
    if (!code) throw new ServiceError('CODE_INVALID');
    if (password !== undefined) await this.strength.assertStrong(password, [code.phoneNumber]);
    const passwordHash = password === undefined ? null : await this.hasher.hash(password);
    const account = createAccount(code, passwordHash, request);
    const session = await this.unitOfWork.run(async () => {
      await this.codes.consume(code);
      // The error is thrown after the commit, so that the code is used up even when the account exists.
      return (await this.accounts.insert(account))
        ? this.sessions.create(account.userId, { ...origin, deviceName })
        : undefined;
    });
    if (!session) throw new ServiceError('ACCOUNT_EXISTS');
    return this.sessions.issueTokens(session);
  }

  /**
   * Signs a person in with a password, an SMS code or a sign-in link. Rejects every wrong pair of phone number and
   * password, and every wrong code, with the same error after the same time.
   * @throws ServiceError CREDENTIALS_INVALID, RATE_LIMITED, OVERLOADED
   * @throws ServiceError ACCOUNT_SUSPENDED with correct credentials of a suspended account
   * @throws ServiceError VALIDATION_FAILED unless the request contains phone number and password, challenge id and
   * code, or the token of a link
   */
  async signIn(request: SignInDto, { ip, userAgent }: RequestOrigin): Promise<IssuedTokens> {
    const client = { ip, userAgent, deviceName: request.deviceName };
    const { areaCode, phoneNumber, password, challengeId, code, linkToken } = request;
    const device = this.secrets.verifyDeviceToken(request.deviceToken);
    const submitted = challengeId !== undefined && code !== undefined ? { challengeId, code } : undefined;
    if (submitted) {
      await this.limiter.consumeByOrigin('sign-in', device, ip);
      return this.signInByCode(submitted, client);
    }
    if (linkToken !== undefined) {
      await this.limiter.consumeByOrigin('sign-in', device, ip);
      return this.signInByLink(linkToken, client);
    }
    if (areaCode === undefined || phoneNumber === undefined || password === undefined) throw incompleteSignInError();
    const phone = requirePhone(areaCode, phoneNumber);
    const account = await this.passwords.checkByPhone(phone, password, { ip, device });
    if (!account) throw new ServiceError('CREDENTIALS_INVALID');
    return this.startSession(account, client);
  }

  private async signInByCode(submitted: SubmittedSmsCode, client: SessionClient): Promise<IssuedTokens> {
    const code = await this.codes.verify(submitted, 'SIGN_IN');
    const account = code && (await this.accounts.findByPhone(code));
    if (!code || !account) throw new ServiceError('CREDENTIALS_INVALID');
    return this.startSession(account, client, () => this.codes.consume(code));
  }

  private async signInByLink(token: string, client: SessionClient): Promise<IssuedTokens> {
    const link = await this.links.find(token, Date.now());
    const account = link && (await this.accounts.findById(link.userId));
    if (!link || !account || account.credentialVersion !== link.credentialVersion)
      throw new ServiceError('CREDENTIALS_INVALID');
    return this.startSession(account, client, async () => {
      if (!(await this.links.consume(token))) throw new ServiceError('CREDENTIALS_INVALID');
    });
  }

  /** Creates a session, unless password or phone number changed since they were checked. */
  private async startSession(
    account: AccountEntity,
    client: SessionClient,
    beforeCreate?: () => Promise<void>,
  ): Promise<IssuedTokens> {
    const { userId, credentialVersion } = account;
    const session = await this.unitOfWork.run(async () => {
      await beforeCreate?.();
      const current = await this.accounts.lockCredentialsForShare(userId, credentialVersion);
      if (!current) throw new ServiceError('CREDENTIALS_INVALID');
      if (current.suspendedAt !== null) throw new ServiceError('ACCOUNT_SUSPENDED');
      const created = await this.sessions.create(userId, client);
      await this.publishSessionStarted(created);
      return created;
    });
    return this.sessions.issueTokens(session);
  }

  /** Notifies the person's other devices, because the sign-in may be someone else's. */
  private async publishSessionStarted({ userId, sessionId }: SessionWithRefreshToken): Promise<void> {
    const payload = { userId, sessionId, time: Date.now() };
    await this.outbox.append({ name: 'userctx.session.started', key: `user:${userId}`, payload });
  }
}

function incompleteSignInError(): ServiceError {
  return validationError(
    '',
    'isSignIn',
    'provide areaCode, phoneNumber and password, challengeId and code, or linkToken',
  );
}
