import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatMessageEntity,
  ConversationEntity,
  ConversationMemberEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import { Any } from 'typeorm';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import {
  FIND_ERASED_MESSAGES,
  FIND_ERASED_RECIPIENTS,
  FIND_OWN_CONVERSATIONS,
  INCREMENT_REVISIONS,
  LOCK_CHILD_CONVERSATIONS,
} from './membership.sql.js';

/** Messages that are erased with a child, and the principals whose mailboxes may contain them. */
interface ErasedMessages {
  ids: string[];
  recipients: PrincipalKey[];
}

/** Erases a child from all conversations. */
@Injectable()
export class ConversationErasureRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async lockByChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_CHILD_CONVERSATIONS, [`child:${cid}`]);
  }

  async findMessages(cid: string): Promise<ErasedMessages> {
    const { executor } = this.unitOfWork;
    const messages = await executor.query<{ id: string }>(FIND_ERASED_MESSAGES, [`child:${cid}`]);
    const ids = messages.map(({ id }) => id);
    const recipients = await executor.query<{ principal: PrincipalKey }>(FIND_ERASED_RECIPIENTS, [`child:${cid}`, ids]);
    return { ids, recipients: recipients.map(({ principal }) => principal) };
  }

  async delete(cid: string, ids: readonly string[]): Promise<void> {
    const { executor, manager } = this.unitOfWork;
    const member: MemberKey = `child:${cid}`;
    const own = await executor.query<{ conversationId: string }>(FIND_OWN_CONVERSATIONS, [member]);
    const conversationId = Any(own.map((each) => each.conversationId));
    await executor.query(INCREMENT_REVISIONS, [member]);
    await manager.delete(ChatMessageEntity, { id: Any(ids) });
    await manager.delete(ConversationMemberEntity, [{ member }, { conversationId }]);
    await manager.delete(ConversationEntity, { conversationId });
  }
}
