import { Injectable } from '@nestjs/common';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { ConversationErasureRepository } from './conversation-erasure.repository.js';

/** Erases a child's data from conversations and mailboxes. */
@Injectable()
export class ConversationErasureService {
  constructor(
    private readonly erasures: ConversationErasureRepository,
    private readonly mailboxes: MailboxService,
  ) {}

  /**
   * Erases the child's direct conversations and conversations with friends entirely, and the child's messages in the
   * family group, in the current transaction.
   */
  async erase(cid: string): Promise<void> {
    await this.erasures.lockByChild(cid);
    const { ids, recipients } = await this.erasures.findMessages(cid);
    if (ids.length > 0) await this.mailboxes.withdraw(recipients, ids);
    await this.erasures.delete(cid, ids);
  }
}
