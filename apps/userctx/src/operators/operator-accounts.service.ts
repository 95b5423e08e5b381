import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { COMMAND_LINE_ACTOR, LOGIN_NAME_PATTERN } from '@family-watch/domain/operators/contracts/operator';
import type {
  AuditPageDto,
  AuditQueryDto,
  CreatedOperatorDto,
  CreateOperatorDto,
  OperatorPageDto,
} from '@family-watch/domain/operators/dto/operator.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { PasswordHasher } from '../accounts/credentials/passwords.js';
import { AuditRepository } from './audit.repository.js';
import { createInitialPassword, OperatorSecrets } from './operator-secrets.js';
import { OperatorRepository } from './operator.repository.js';

/** Creates, lists and suspends operators, and lists the audit list. */
@Injectable()
export class OperatorAccountsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditRepository,
    private readonly secrets: OperatorSecrets,
    private readonly hasher: PasswordHasher,
  ) {}

  /** Returns true if there is an operator, suspended or not. */
  hasOperators(): Promise<boolean> {
    return this.operators.exists();
  }

  /**
   * Creates an operator with a random password. Password, TOTP secret and recovery codes are returned only here.
   * @param creator - the administrator, or the command line
   * @throws ServiceError VALIDATION_FAILED, LOGIN_NAME_TAKEN, OVERLOADED
   * @throws ServiceError TOKEN_REVOKED if the administrator was suspended meanwhile
   */
  async create(
    { loginName, roles }: CreateOperatorDto,
    creator: Pick<Principal, 'id'> | typeof COMMAND_LINE_ACTOR,
  ): Promise<CreatedOperatorDto> {
    // The command line calls this method without the validation of requests.
    if (!LOGIN_NAME_PATTERN.test(loginName))
      throw validationError('loginName', 'matches', 'loginName must have 3 to 32 lower-case characters');
    const operatorId = randomUUID();
    const password = createInitialPassword();
    const passwordHash = await this.hasher.hash(password);
    const factor = this.secrets.createSecondFactor(operatorId, loginName);
    const account = { operatorId, loginName, roles, passwordHash, sealedTotpSecret: factor.sealedTotpSecret };
    await this.unitOfWork.run(async () => {
      if (creator !== COMMAND_LINE_ACTOR) await this.assertActiveAdministrator(creator);
      const stored = { ...account, lastTotpStep: 0, credentialVersion: 1, suspendedAt: null, createdAt: Date.now() };
      if (!(await this.operators.insert(stored))) throw new ServiceError('LOGIN_NAME_TAKEN');
      await this.operators.replaceRecoveryCodes(operatorId, factor.recoveryDigests);
    });
    return { operatorId, password, otpauthUrl: factor.otpauthUrl, recoveryCodes: factor.recoveryCodes };
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list(query: PageQueryDto): Promise<OperatorPageDto> {
    const page = await this.operators.findPage(decodeTimePage(query));
    const items = page.items.map(({ operatorId, loginName, roles, createdAt, suspendedAt }) => ({
      operatorId,
      loginName,
      roles,
      createdAt,
      suspendedAt,
    }));
    return { ...page, items };
  }

  /**
   * Suspends an operator permanently and ends the operator's sessions. The caller must be active and cannot be the
   * suspended operator, so that an active administrator remains, also if administrators suspend each other concurrently.
   * @throws ServiceError OPERATOR_NOT_FOUND, also for a suspended operator; FORBIDDEN for the caller
   * @throws ServiceError TOKEN_REVOKED if the caller was suspended meanwhile
   */
  async suspend(caller: Pick<Principal, 'id'>, operatorId: string): Promise<void> {
    if (operatorId === caller.id) throw new ServiceError('FORBIDDEN');
    await this.unitOfWork.run(async () => {
      await this.assertActiveAdministrator(caller);
      const now = Date.now();
      if (!isUuid(operatorId) || !(await this.operators.suspend(operatorId, now)))
        throw new ServiceError('OPERATOR_NOT_FOUND');
      await this.operators.endSessions(operatorId, now);
    });
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  listAuditEntries({ actor, ...query }: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.findPage(actor, decodeTimePage(query));
  }

  /**
   * Prevents that an administrator whom another request suspends at this moment changes operators. Must be called in the
   * transaction of the change.
   */
  private async assertActiveAdministrator({ id }: Pick<Principal, 'id'>): Promise<void> {
    if (!(await this.operators.lockActiveAdministrators()).includes(id)) throw new ServiceError('TOKEN_REVOKED');
  }
}
