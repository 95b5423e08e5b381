import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';

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
    await this.unitOfWork.executor.query(
      `SELECT FROM gateway.conversation
       WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
       ORDER BY conversation_id FOR NO KEY UPDATE`,
      [`child:${cid}`],
    );
  }

  async findMessages(cid: string): Promise<ErasedMessages> {
    const { executor } = this.unitOfWork;
    const rows = await executor.query<{ id: string }>(
      `SELECT id FROM gateway.chat_message JOIN gateway.conversation USING (conversation_id)
       WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
         AND (type <> 'FAMILY' OR member = $1)`,
      [`child:${cid}`],
    );
    const ids = rows.map(({ id }) => id);
    // The mailboxes of current and former members, and of every watch that ever sent a message, may contain the erased
    // messages. Copies in any other mailbox expire after 30 days.
    const recipients = await executor.query<{ principal: PrincipalKey }>(
      `SELECT coalesce('watch:' || other.did, other.member) AS principal
       FROM gateway.conversation_member AS child JOIN gateway.conversation_member AS other USING (conversation_id)
       WHERE child.member = $1 AND (other.cid IS NULL OR other.did IS NOT NULL)
       UNION
       SELECT sender_type || ':' || sender_id FROM gateway.chat_message WHERE id = ANY($2::uuid[])`,
      [`child:${cid}`, ids],
    );
    return { ids, recipients: recipients.map(({ principal }) => principal) };
  }

  async delete(cid: string, ids: readonly string[]): Promise<void> {
    const { executor } = this.unitOfWork;
    const own = await executor.query<{ conversation_id: string }>(
      `SELECT conversation_id FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
       WHERE member = $1 AND type <> 'FAMILY'`,
      [`child:${cid}`],
    );
    const conversationIds = own.map((row) => row.conversation_id);
    await executor.query(
      `UPDATE gateway.conversation SET revision = revision + 1
       WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)`,
      [`child:${cid}`],
    );
    await executor.query('DELETE FROM gateway.chat_message WHERE id = ANY($1::uuid[])', [ids]);
    await executor.query(
      'DELETE FROM gateway.conversation_member WHERE member = $1 OR conversation_id = ANY($2::uuid[])',
      [`child:${cid}`, conversationIds],
    );
    await executor.query('DELETE FROM gateway.conversation WHERE conversation_id = ANY($1::uuid[])', [conversationIds]);
  }
}
