import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type {
  OperatorSignInDto,
  OperatorTokenDto,
  ReplaceOperatorCredentialsDto,
  SecondFactorDto,
} from '@family-watch/domain/operators/dto/operator.dto';
import type { OperatorAccountEntity } from '@family-watch/domain/operators/entities/operator.entities';
import { OPERATOR_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { isBusyReason } from '@family-watch/platform/concurrency/semaphore';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { AccountSecrets, type KnownDevice } from '../accounts/account-secrets.js';
import { AttemptLimiterService } from '../accounts/attempts/attempt-limiter.service.js';
import { PasswordCheckService, type PasswordOrigin } from '../accounts/credentials/password-check.service.js';
import { PasswordHasher, PasswordStrength } from '../accounts/credentials/passwords.js';
import { TokenSigner } from '../accounts/keys/token-signer.js';
import { AuditService } from './audit.service.js';
import { OperatorSecrets } from './operator-secrets.js';
import { OperatorRepository } from './operator.repository.js';

const HOUR_MS = 60 * 60_000;
/** Duration of a session. A session is never extended. Milliseconds. */
const OPERATOR_SESSION_MS = OPERATOR_TOKEN_FORMAT.lifetime * 1_000;

/** Signs operators in with password and second factor, and replaces their credentials. */
@Injectable()
export class OperatorSignInService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditService,
    private readonly secrets: OperatorSecrets,
    private readonly devices: AccountSecrets,
    private readonly passwords: PasswordCheckService,
    private readonly hasher: PasswordHasher,
    private readonly strength: PasswordStrength,
    private readonly limiter: AttemptLimiterService,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * Starts a session of an hour. An unknown name, a wrong password, a wrong or used code and a suspended operator are
   * rejected alike.
   * @throws ServiceError CREDENTIALS_INVALID, RATE_LIMITED, OVERLOADED
   */
  async signIn({ loginName, password, code, deviceToken }: OperatorSignInDto, ip: string): Promise<OperatorTokenDto> {
    const device = this.devices.verifyDeviceToken(deviceToken);
    const operator = await this.checkPasswordOfHolder(loginName, password, code, { ip, device });
    if (!operator) throw new ServiceError('CREDENTIALS_INVALID');
    const { operatorId, roles } = operator;
    const principal: Principal = { type: 'operator', id: operatorId, sessionId: randomUUID() };
    const isSignedIn = await this.withSecondFactor(operator, code, device, async () => {
      await this.appendSignIn(principal, ip, true);
      await this.startSession(principal);
    });
    if (!isSignedIn) {
      await this.appendSignIn(principal, ip, false);
      throw new ServiceError('CREDENTIALS_INVALID');
    }
    const token = await this.signer.signAccessToken(principal);
    const known = { userId: operatorId, sessionId: principal.sessionId };
    return { ...token, deviceToken: this.devices.createDeviceToken(known), operatorId, roles };
  }

  async signOut({ id, sessionId }: Principal): Promise<void> {
    await this.operators.endSessions(id, Date.now(), sessionId);
  }

  /**
   * Replaces password, TOTP secret and recovery codes, and ends all sessions of the operator.
   * @throws ServiceError CREDENTIALS_INVALID, PASSWORD_TOO_WEAK, RATE_LIMITED, OVERLOADED
   */
  async replaceCredentials(
    { id: operatorId }: Principal,
    { password, code, newPassword }: ReplaceOperatorCredentialsDto,
    ip: string,
  ): Promise<SecondFactorDto> {
    const operator = await this.operators.find(operatorId);
    if (!operator) throw new ServiceError('TOKEN_REVOKED');
    await this.strength.assertStrong(newPassword, [operator.loginName]);
    // The caller has a session, like a known device.
    const device = { userId: operatorId, sessionId: operatorId };
    if (!(await this.checkPassword(operator.loginName, password, { ip, device })))
      throw new ServiceError('CREDENTIALS_INVALID');
    const passwordHash = await this.hasher.hash(newPassword);
    const factor = this.secrets.createSecondFactor(operatorId, operator.loginName);
    const { sealedTotpSecret, recoveryDigests, otpauthUrl, recoveryCodes } = factor;
    const isReplaced = await this.withSecondFactor(operator, code, device, async () => {
      if (!(await this.operators.replaceCredentials(operator, { passwordHash, sealedTotpSecret })))
        throw new ServiceError('CONFLICT');
      await this.operators.replaceRecoveryCodes(operatorId, recoveryDigests);
      await this.operators.endSessions(operatorId, Date.now());
    });
    if (!isReplaced) throw new ServiceError('CREDENTIALS_INVALID');
    return { otpauthUrl, recoveryCodes };
  }

  @OnJob('userctx.operators.delete-expired-sessions', { intervalMs: HOUR_MS })
  async deleteExpiredSessions(now: number): Promise<void> {
    await this.operators.deleteSessionsExpiredBefore(now - OPERATOR_SESSION_MS);
  }

  /**
   * Checks the password. When strangers have used up the attempts of the name, a caller with a valid code of the second
   * factor, which strangers do not have, gets attempts of its own, as many as a known device.
   */
  private async checkPasswordOfHolder(
    loginName: string,
    password: string,
    code: string,
    origin: PasswordOrigin,
  ): Promise<OperatorAccountEntity | undefined> {
    try {
      return await this.checkPassword(loginName, password, origin);
    } catch (error) {
      if (!isLimited(error)) throw error;
      await this.limiter.consumeByOrigin('sign-in', undefined, origin.ip);
      const operator = await this.operators.findByLoginName(loginName);
      if (!operator || !(await this.isCodeValid(operator, code))) throw error;
      const { operatorId } = operator;
      const holder = { userId: operatorId, sessionId: `${operatorId} second factor` };
      return this.checkPassword(loginName, password, { ip: origin.ip, device: holder });
    }
  }

  /**
   * Returns whether a code is valid. Does not use it up. Everybody may try, so the guesses of the six digits are limited
   * per operator. Recovery codes cannot be guessed and stay valid when strangers have used up this limit.
   * @throws ServiceError RATE_LIMITED
   */
  private async isCodeValid(operator: OperatorAccountEntity, code: string): Promise<boolean> {
    const { operatorId } = operator;
    const digest = this.secrets.digestRecoveryCode(operatorId, code);
    if (await this.operators.hasRecoveryCode(operatorId, digest)) return true;
    await this.limiter.consume('operator-code.holder', operatorId);
    if (this.secrets.verifyTotp(operator, code, Date.now()) === undefined) return false;
    await this.limiter.refund([['operator-code.holder', operatorId]]);
    return true;
  }

  private async checkPassword(
    loginName: string,
    password: string,
    origin: PasswordOrigin,
  ): Promise<OperatorAccountEntity | undefined> {
    const find = async () => {
      const operator = await this.operators.findByLoginName(loginName);
      return (
        operator && {
          id: operator.operatorId,
          passwordHash: operator.passwordHash,
          renewHash: (renewed: string) => this.operators.renewPasswordHash(operator, renewed),
          operator,
        }
      );
    };
    return (await this.passwords.check(`operator ${loginName}`, find, password, origin))?.operator;
  }

  /**
   * Runs `work` in the transaction that uses the code up.
   * @returns false if the code is wrong or used, the credentials changed meanwhile, or the operator is suspended
   * @throws ServiceError RATE_LIMITED
   */
  private async withSecondFactor(
    operator: OperatorAccountEntity,
    code: string,
    device: KnownDevice | undefined,
    work: () => Promise<void>,
  ): Promise<boolean> {
    const { operatorId, credentialVersion } = operator;
    const subject = device?.userId === operatorId ? `${operatorId} ${device.sessionId}` : operatorId;
    // The attempts are counted before the comparison, so that parallel guesses cannot exceed the limit.
    const kinds = ['operator-code', 'operator-code.day'] as const;
    for (const kind of kinds) await this.limiter.consume(kind, subject);
    const step = this.secrets.verifyTotp(operator, code, Date.now());
    const isUsedUp = await this.unitOfWork.run(async () => {
      const isCorrect =
        step === undefined
          ? (await this.operators.lockActive(operatorId, credentialVersion)) &&
            (await this.operators.useRecoveryCode(operatorId, this.secrets.digestRecoveryCode(operatorId, code)))
          : await this.operators.useTotpStep(operatorId, credentialVersion, step);
      if (isCorrect) await work();
      return isCorrect;
    });
    if (isUsedUp) await this.limiter.refund(kinds.map((kind) => [kind, subject]));
    return isUsedUp;
  }

  private async startSession({ id: operatorId, sessionId }: Principal): Promise<void> {
    const now = Date.now();
    const expiresAt = now + OPERATOR_SESSION_MS;
    await this.operators.insertSession({ sessionId, operatorId, createdAt: now, expiresAt, endedAt: null });
  }

  /**
   * Adds a sign-in with a correct password to the audit list. Wrong passwords are only counted: an entry for each would
   * take longer than the rejection of an unknown name, and strangers could fill the list.
   */
  private async appendSignIn(principal: Principal, ip: string, admitted: boolean): Promise<void> {
    const sessionId = admitted ? principal.sessionId : null;
    const entry = { actor: principalKey(principal), sessionId, operation: 'signInOperator', fields: {}, admitted, ip };
    await this.audit.append(entry);
  }
}

function isLimited(error: unknown): boolean {
  return error instanceof ServiceError && (error.reason === 'RATE_LIMITED' || isBusyReason(error.reason));
}
