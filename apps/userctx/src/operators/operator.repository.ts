import { Injectable } from '@nestjs/common';
import { ArrayContains, IsNull, LessThan, MoreThan } from 'typeorm';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { OPERATOR_ROLE } from '@family-watch/domain/operators/contracts/operator';
import {
  OperatorAccountEntity,
  OperatorRecoveryCodeEntity,
  OperatorSessionEntity,
} from '@family-watch/domain/operators/entities/operator.entities';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

/** Stores operators, their unused recovery codes and their sessions. Times are Unix milliseconds. */
@Injectable()
export class OperatorRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByLoginName(loginName: string): Promise<OperatorAccountEntity | null> {
    return this.accounts.findOneBy({ loginName });
  }

  find(operatorId: string): Promise<OperatorAccountEntity | null> {
    return this.accounts.findOneBy({ operatorId });
  }

  async exists(): Promise<boolean> {
    return this.accounts.exists();
  }

  /** Returns false if the login name is taken. */
  insert(account: OperatorAccountEntity): Promise<boolean> {
    return insertIfAbsent(this.accounts, account);
  }

  /** Returns a page of operators, newest first. */
  findPage(page: TimePageRequest): Promise<Page<OperatorAccountEntity>> {
    return findTimePage(this.accounts, {}, { time: 'createdAt', id: 'operatorId' }, page);
  }

  /** Locks the active administrators until commit and returns their ids: one transaction at a time changes operators. */
  async lockActiveAdministrators(): Promise<string[]> {
    const administrators = await this.accounts.find({
      select: { operatorId: true },
      where: { roles: ArrayContains([OPERATOR_ROLE.ADMIN]), suspendedAt: IsNull() },
      order: { operatorId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return administrators.map(({ operatorId }) => operatorId);
  }

  /** Returns false if the operator does not exist or is already suspended. */
  async suspend(operatorId: string, now: number): Promise<boolean> {
    const { affected } = await this.accounts.update({ operatorId, suspendedAt: IsNull() }, { suspendedAt: now });
    return affected === 1;
  }

  /** Returns false if the credentials changed since `version` was read, or the operator is suspended. */
  async replaceCredentials(
    { operatorId, credentialVersion }: OperatorAccountEntity,
    credentials: Pick<OperatorAccountEntity, 'passwordHash' | 'sealedTotpSecret'>,
  ): Promise<boolean> {
    const { affected } = await this.accounts.update(
      { operatorId, credentialVersion, suspendedAt: IsNull() },
      { ...credentials, lastTotpStep: 0, credentialVersion: credentialVersion + 1 },
    );
    return affected === 1;
  }

  /** Replaces the hash by another hash of the same password, unless the credentials have changed. */
  async renewPasswordHash(
    { operatorId, credentialVersion }: OperatorAccountEntity,
    passwordHash: string,
  ): Promise<void> {
    await this.accounts.update({ operatorId, credentialVersion }, { passwordHash });
  }

  /**
   * Marks the time step of a TOTP code as used. Returns false if this or a later time step was used, if the credentials
   * changed since `version` was read, or if the operator is suspended. Of several concurrent calls, one succeeds.
   */
  async useTotpStep(operatorId: string, credentialVersion: number, step: number): Promise<boolean> {
    const { affected } = await this.accounts.update(
      { operatorId, credentialVersion, suspendedAt: IsNull(), lastTotpStep: LessThan(step) },
      { lastTotpStep: step },
    );
    return affected === 1;
  }

  /** Locks the account until commit. Returns false like {@link useTotpStep}. */
  async lockActive(operatorId: string, credentialVersion: number): Promise<boolean> {
    const account = await this.accounts.findOne({
      select: { operatorId: true },
      where: { operatorId, credentialVersion, suspendedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    return account !== null;
  }

  /** Replaces all recovery codes of the operator. */
  async replaceRecoveryCodes(operatorId: string, digests: readonly Buffer[]): Promise<void> {
    await this.recoveryCodes.delete({ operatorId });
    await this.recoveryCodes.insert(digests.map((digest) => ({ operatorId, digest })));
  }

  hasRecoveryCode(operatorId: string, digest: Buffer): Promise<boolean> {
    return this.recoveryCodes.existsBy({ operatorId, digest });
  }

  /** Deletes the code. Returns false if the operator has no such unused code. */
  async useRecoveryCode(operatorId: string, digest: Buffer): Promise<boolean> {
    const { affected } = await this.recoveryCodes.delete({ operatorId, digest });
    return affected === 1;
  }

  async insertSession(session: OperatorSessionEntity): Promise<void> {
    await this.sessions.insert(session);
  }

  /** Returns the operator of an active session, or null. */
  async findByActiveSession(operatorId: string, sessionId: string, now: number): Promise<OperatorAccountEntity | null> {
    const session = await this.sessions.findOneBy({
      sessionId,
      operatorId,
      endedAt: IsNull(),
      expiresAt: MoreThan(now),
    });
    return session && this.accounts.findOneBy({ operatorId, suspendedAt: IsNull() });
  }

  /** Ends the session, or all sessions of the operator. */
  async endSessions(operatorId: string, now: number, sessionId?: string): Promise<void> {
    await this.sessions.update({ operatorId, endedAt: IsNull(), ...(sessionId && { sessionId }) }, { endedAt: now });
  }

  async deleteSessionsExpiredBefore(time: number): Promise<void> {
    await this.sessions.delete({ expiresAt: LessThan(time) });
  }

  private get accounts() {
    return this.unitOfWork.manager.getRepository(OperatorAccountEntity);
  }

  private get recoveryCodes() {
    return this.unitOfWork.manager.getRepository(OperatorRecoveryCodeEntity);
  }

  private get sessions() {
    return this.unitOfWork.manager.getRepository(OperatorSessionEntity);
  }
}
