import { Injectable } from '@nestjs/common';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatMessageEntity,
  ConversationMemberEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';

/** A message that its sender may recall. */
export interface RecallableMessage extends Pick<ChatMessageEntity, 'conversationId' | 'kind' | 'time'> {
  /** The family of the sender. */
  familyId: string;
  recalled: boolean;
}

/** Reads and updates messages that are recalled. */
@Injectable()
export class RecallRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns a message that this member sent, if the member is still active in the conversation. */
  find(id: string, sender: MemberKey): Promise<RecallableMessage | undefined> {
    return this.table
      .createQueryBuilder('message')
      .innerJoin(
        ConversationMemberEntity,
        'sender',
        'sender.conversationId = message.conversationId AND sender.member = message.member AND sender.active',
      )
      .select(['message.conversationId AS "conversationId"', 'message.kind AS kind', 'message.time AS time'])
      .addSelect(['sender.familyId AS "familyId"', 'message.recalledAt IS NOT NULL AS recalled'])
      .where({ id, member: sender })
      .getRawOne<RecallableMessage>();
  }

  /** Marks a message as recalled and deletes its payload; the row remains. */
  async markRecalled(id: string, now: number): Promise<void> {
    await this.table.update({ id }, { recalledAt: now, payload: {} });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChatMessageEntity);
  }
}
