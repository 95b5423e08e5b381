import { Injectable } from '@nestjs/common';
import type { ChatKind } from '@family-watch/domain/messages/contracts/chat';
import type { MemberKey } from '@family-watch/domain/messages/contracts/conversation';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

/** A message that its sender may recall. */
export interface RecallableMessage {
  /** The family of the sender. */
  familyId: string;
  kind: ChatKind;
  conversationId: string;
  /** Unix milliseconds. */
  time: number;
  recalled: boolean;
}

/** Reads and updates messages that are recalled. */
@Injectable()
export class RecallRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns a message that this member sent, if the member is still active in the conversation. */
  async find(id: string, sender: MemberKey): Promise<RecallableMessage | undefined> {
    const [row] = await this.unitOfWork.executor.query<RecallableMessage>(
      `SELECT conversation_id AS "conversationId", family_id AS "familyId", kind, time, recalled_at IS NOT NULL AS recalled
       FROM gateway.chat_message JOIN gateway.conversation_member USING (conversation_id, member)
       WHERE id = $1 AND member = $2 AND active`,
      [id, sender],
    );
    return row;
  }

  /** Marks a message as recalled and deletes its payload; the row remains. */
  async markRecalled(id: string, now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.chat_message SET recalled_at = $2, payload = '{}' WHERE id = $1`,
      [id, now],
    );
  }
}
