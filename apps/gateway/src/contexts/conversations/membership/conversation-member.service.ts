import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayProjections, projectionUnknownError } from '../../../infrastructure/gateway-infrastructure.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { ConversationMembershipRepository } from './conversation-membership.repository.js';

/** Resolves the membership of a caller in conversations. */
@Injectable()
export class ConversationMemberService {
  constructor(
    private readonly families: FamilyLookupService,
    private readonly members: ConversationMembershipRepository,
    private readonly projections: GatewayProjections,
  ) {}

  /**
   * Returns the member key of the caller; a watch acts as its child.
   * @throws ServiceError WATCH_UNBOUND
   */
  async memberKeyOf({ type, id }: Principal): Promise<MemberKey> {
    if (type !== 'watch') return `user:${id}`;
    const child = await this.families.findByWatch(Number(id));
    if (!child) throw new ServiceError('WATCH_UNBOUND');
    return `child:${child.cid}`;
  }

  /**
   * @throws ServiceError CONVERSATION_NOT_FOUND for a conversation of which the caller is no member
   * @throws ServiceError WATCH_UNBOUND
   * @throws ServiceError OVERLOADED while the members of the conversation are unknown
   */
  async membershipOf(caller: Principal, conversationId: string): Promise<ConversationMemberEntity> {
    const member = await this.memberKeyOf(caller);
    const found = isUuid(conversationId) ? await this.members.findActive(conversationId, member) : undefined;
    if (!found) throw new ServiceError('CONVERSATION_NOT_FOUND');
    if (!this.projections.areConversationsKnown(found.familyId)) throw projectionUnknownError();
    return found;
  }
}
