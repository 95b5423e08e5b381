import { Injectable } from '@nestjs/common';
import type { MemberKey } from '@family-watch/domain/messages/contracts/conversation';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

/** An active membership in a conversation. */
export interface Membership {
  conversationId: string;
  member: MemberKey;
  familyId: string;
  /** Sequence number in the conversation after which messages are visible to the member. */
  joinedAtSeq: number;
  readSeq: number;
}

/** Reads active memberships. */
@Injectable()
export class ConversationMemberRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async find(conversationId: string, member: MemberKey): Promise<Membership | undefined> {
    const [row] = await this.unitOfWork.executor.query<Membership>(
      `SELECT conversation_id AS "conversationId", member, family_id AS "familyId",
         joined_at_seq AS "joinedAtSeq", read_seq AS "readSeq"
       FROM gateway.conversation_member WHERE conversation_id = $1 AND member = $2 AND active`,
      [conversationId, member],
    );
    return row;
  }
}
