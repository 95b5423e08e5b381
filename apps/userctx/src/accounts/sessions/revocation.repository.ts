import { Injectable } from '@nestjs/common';
import { LessThan, MoreThanOrEqual } from 'typeorm';
import { RevocationEntity } from '@family-watch/domain/accounts/entities/session.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/**
 * Stores revocations in the transaction that causes them. The revocation feed recovers lost messages from this table.
 */
@Injectable()
export class RevocationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async insert(revocations: readonly Revocation[]): Promise<void> {
    await this.unitOfWork.manager.insert(RevocationEntity, revocations.map(toRecord));
  }

  /**
   * Returns the revocations whose time is `time` or later, oldest first.
   * @param time Unix milliseconds. Callers pass a time before their last query, because a revocation becomes visible
   * only when its transaction commits, which is later than the time of the revocation.
   */
  async listSince(time: number): Promise<Revocation[]> {
    const records = await this.unitOfWork.manager.find(RevocationEntity, {
      where: { time: MoreThanOrEqual(time) },
      order: { time: 'ASC', revocationId: 'ASC' },
    });
    return records.map(toRevocation);
  }

  async prune(before: number): Promise<void> {
    await this.unitOfWork.manager.delete(RevocationEntity, { time: LessThan(before) });
  }
}

function toRecord({ id, scope, time }: Revocation): RevocationEntity {
  return {
    revocationId: id,
    sessionId: 'sessionId' in scope ? scope.sessionId : null,
    principal: 'principal' in scope ? scope.principal : null,
    time,
  };
}

function toRevocation({ revocationId: id, sessionId, principal, time }: RevocationEntity): Revocation {
  return sessionId === null
    ? { id, scope: { principal: principal as PrincipalKey }, time }
    : { id, scope: { sessionId }, time };
}
