import { Injectable } from '@nestjs/common';
import { In, type EntityTarget, type FindOptionsWhere, type ObjectLiteral } from 'typeorm';
import type { ErasureCounts, ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import {
  AccountEntity,
  SmsChallengeEntity,
  ConsentEntity,
} from '@family-watch/domain/accounts/entities/account.entities';
import { SessionEntity } from '@family-watch/domain/accounts/entities/session.entities';
import { FamilyMemberEntity, OwnershipClaimEntity } from '@family-watch/domain/families/entities/family.entities';
import {
  FamilyInvitationEntity,
  JoinRequestEntity,
} from '@family-watch/domain/families/entities/join-request.entities';
import { FriendshipEntity } from '@family-watch/domain/families/entities/friendship.entities';
import { ERASED_PRINCIPAL, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import {
  LocationRequestEntity,
  LocationShareEntity,
  PointCorrectionEntity,
} from '@family-watch/domain/locations/entities/location.entities';
import { PaymentOrderEntity } from '@family-watch/domain/payments/entities/payment.entities';
import { RemoteCommandEntity } from '@family-watch/domain/watches/entities/remote-command.entity';
import { SosEntity, SosStepEntity } from '@family-watch/domain/sos/entities/sos.entities';
import { deleteBatch, updateBatch } from '@family-watch/platform/database/entity-queries';
import { ERASURE_BATCH_SIZE } from '@family-watch/platform/app/erasure/account-erasure';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/**
 * Finds, deletes and anonymizes the rows of all rooms that refer to a person, as the cleanup of a family cloud does.
 */
@Injectable()
export class PersonalDataRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Counts the rows of the person and of the erased children, by table. The tables of children are all those with a
   * column `cid`, so that a new table is included.
   */
  async count({ userId, cids }: ErasureSubjects): Promise<ErasureCounts> {
    const counts: ErasureCounts = {};
    const { manager } = this.unitOfWork;
    const count = async (entity: EntityTarget<ObjectLiteral>, where: FindOptionsWhere<ObjectLiteral>[]) => {
      const found = await manager.countBy(entity, where);
      if (found > 0) counts[manager.dataSource.getMetadata(entity).tableName] = found;
    };
    for (const entity of [AccountEntity, SessionEntity, ConsentEntity, FamilyMemberEntity])
      await count(entity, [{ userId }]);
    // The room of payments removes the references to the person when it handles the event.
    await count(PaymentOrderEntity, [{ by: `user:${userId}` }, { payerUserId: userId }]);
    if (cids.length === 0) return counts;
    for (const { target } of manager.dataSource.entityMetadatas.filter((each) =>
      each.columns.some(({ propertyName }) => propertyName === 'cid'),
    ))
      await count(target, [{ cid: In(cids) }]);
    await count(FriendshipEntity, [{ cidA: In(cids) }, { cidB: In(cids) }]);
    return counts;
  }

  /** Locks the account until the end of the transaction. */
  lockAccount(userId: string): Promise<AccountEntity | null> {
    return this.unitOfWork.manager.findOne(AccountEntity, { where: { userId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Deletes the account with its sessions, tokens, consents and links, and the SMS codes of its phone number. */
  async deleteAccount(userId: string): Promise<void> {
    const { manager } = this.unitOfWork;
    const account = await manager.findOneBy(AccountEntity, { userId });
    if (!account) return;
    const { areaCode, phoneNumber } = account;
    await manager.delete(SmsChallengeEntity, { areaCode, phoneNumber });
    await manager.delete(AccountEntity, { userId });
  }

  /**
   * Deletes what the person created, and anonymizes the person in records that belong to a family, at most
   * {@link ERASURE_BATCH_SIZE} rows of each kind.
   */
  async eraseReferences(userId: string): Promise<ErasureCounts> {
    const { manager } = this.unitOfWork;
    const by: PrincipalKey = `user:${userId}`;
    const deletions: [EntityTarget<ObjectLiteral>, FindOptionsWhere<ObjectLiteral>][] = [
      [JoinRequestEntity, { applicantUserId: userId }],
      [OwnershipClaimEntity, { claimantUserId: userId }],
      [LocationShareEntity, { createdBy: userId }],
      [LocationRequestEntity, { by }],
      [IdempotencyKeyEntity, { principal: by }],
    ];
    const anonymizations: [EntityTarget<ObjectLiteral>, FindOptionsWhere<ObjectLiteral>, ObjectLiteral][] = [
      [FamilyInvitationEntity, { acceptedBy: userId }, { acceptedBy: null }],
      [OwnershipClaimEntity, { endedBy: by }, { endedBy: ERASED_PRINCIPAL }],
      [PointCorrectionEntity, { reportedBy: by }, { reportedBy: ERASED_PRINCIPAL, comment: null }],
      [RemoteCommandEntity, { by }, { by: ERASED_PRINCIPAL }],
      [SosEntity, { acknowledgedBy: by }, { acknowledgedBy: ERASED_PRINCIPAL }],
      [SosEntity, { resolvedBy: by }, { resolvedBy: ERASED_PRINCIPAL }],
      [SosStepEntity, { userId }, { userId: null }],
    ];
    const counts: ErasureCounts = {};
    const limit = ERASURE_BATCH_SIZE;
    const add = (entity: EntityTarget<ObjectLiteral>, erased: number) => {
      const kind = manager.dataSource.getMetadata(entity).tableName;
      counts[kind] = (counts[kind] ?? 0) + erased;
    };
    for (const [entity, where] of deletions)
      add(entity, await deleteBatch(manager.getRepository(entity), { where, limit }));
    for (const [entity, where, change] of anonymizations)
      add(entity, await updateBatch(manager.getRepository(entity), { where, limit }, change));
    return counts;
  }
}
