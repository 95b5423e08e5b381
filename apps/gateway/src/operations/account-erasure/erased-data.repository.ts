import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityTarget, type FindOptionsWhere, type ObjectLiteral } from 'typeorm';
import type { ErasureCounts, ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import {
  AlertEntity,
  CenterMessageEntity,
  CenterRecipientEntity,
  NotifiedFamilyEntity,
} from '@family-watch/domain/messages/entities/center-message.entities';
import { ReceiptCursorEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import {
  MailboxChatEntryEntity,
  MailboxEntryEntity,
  MailboxHeadEntity,
  SessionCursorEntity,
} from '@family-watch/domain/messages/entities/mailbox.entities';
import {
  ChildRulesProjectionEntity,
  CloudContentProjectionEntity,
  FamilyPrincipalEntity,
  LatestLocationEntity,
} from '@family-watch/domain/messages/entities/projections.entities';
import { PushRequestEntity, PushTokenEntity } from '@family-watch/domain/messages/entities/push.entities';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import { deleteBatch } from '@family-watch/platform/database/entity-queries';
import { ERASURE_BATCH_SIZE } from '@family-watch/platform/app/erasure/account-erasure';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

/** The snapshot of a dissolved family still names its last owner. */
const CLEAR_OWNERS = `
  UPDATE gateway.family SET snapshot = jsonb_set(snapshot::jsonb, '{ownerUserId}', '"erased"')::json
  WHERE family_id = ANY($1::text[]) AND snapshot ->> 'ownerUserId' = $2`;

type Deletion = [EntityTarget<ObjectLiteral>, FindOptionsWhere<ObjectLiteral>];

/** A call whose row is deleted before its room has ended for good would continue on the media server. */
const FULLY_ENDED: FindOptionsWhere<VideoCallEntity> = { dueAt: IsNull(), mediaEndDueAt: IsNull() };

/** Deletes the rows of all rooms, except for conversations, that belong to erased persons and families. */
@Injectable()
export class ErasedDataRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns whether a stored snapshot of a family contains the person. */
  isMember(userId: string): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(FamilyPrincipalEntity, { principal: `user:${userId}` });
  }

  /** Returns whether calls of the person or the families are left, which {@link erase} deletes when they have ended. */
  hasCalls({ userId, familyIds }: ErasureSubjects): Promise<boolean> {
    return this.unitOfWork.manager.existsBy(VideoCallEntity, [{ userId }, { familyId: In(familyIds) }]);
  }

  /** @param principals - the mailboxes that may contain messages about the erased families */
  async erase(subjects: ErasureSubjects, principals: readonly PrincipalKey[]): Promise<ErasureCounts> {
    const { executor, manager } = this.unitOfWork;
    const counts: ErasureCounts = {};
    for (const [entity, where] of [...deletionsOfUser(subjects), ...deletionsOfFamilies(subjects, principals)]) {
      const deleted = await deleteBatch(manager.getRepository(entity), { where, limit: ERASURE_BATCH_SIZE });
      const kind = manager.dataSource.getMetadata(entity).tableName;
      counts[kind] = (counts[kind] ?? 0) + deleted;
    }
    await executor.query(CLEAR_OWNERS, [subjects.familyIds, subjects.userId]);
    return counts;
  }
}

function deletionsOfUser({ userId }: ErasureSubjects): Deletion[] {
  const principal: PrincipalKey = `user:${userId}`;
  return [
    [MailboxEntryEntity, { principal }],
    [MailboxChatEntryEntity, { principal }],
    [MailboxHeadEntity, { principal }],
    [SessionCursorEntity, { principal }],
    [ReceiptCursorEntity, { principal }],
    [CenterMessageEntity, { userId }],
    [CenterRecipientEntity, { userId }],
    [AlertEntity, { userId }],
    [PushTokenEntity, { userId }],
    [PushRequestEntity, { userId }],
    [VideoCallEntity, { userId, ...FULLY_ENDED }],
    [IdempotencyKeyEntity, { principal }],
  ];
}

function deletionsOfFamilies({ familyIds, cids }: ErasureSubjects, principals: readonly PrincipalKey[]): Deletion[] {
  if (familyIds.length === 0) return [];
  const familyId = In(familyIds);
  // A watch that is not connected must still receive the notice that it was unbound. The notice contains only ids.
  const kind = Not('DeviceBindStateChangeNoticeMessage');
  return [
    [MailboxEntryEntity, { principal: In(principals), familyId, kind }],
    [CenterMessageEntity, { familyId }],
    [AlertEntity, { familyId }],
    [VideoCallEntity, { familyId, ...FULLY_ENDED }],
    [LatestLocationEntity, { familyId }],
    [CloudContentProjectionEntity, { familyId }],
    [NotifiedFamilyEntity, { familyId }],
    [ChildRulesProjectionEntity, { cid: In(cids) }],
  ];
}
