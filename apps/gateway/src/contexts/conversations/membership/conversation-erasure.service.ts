import { Injectable } from '@nestjs/common';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { ConversationErasureRepository } from './conversation-erasure.repository.js';

/** What is left of a child in conversations, and how it goes. */
@Injectable()
export class ConversationErasureService {
  constructor(
    private readonly erased: ConversationErasureRepository,
    private readonly mailboxes: MailboxService,
  ) {}

  /** In the open unit of work: the child's own conversations as a whole, of the family group what the child said. */
  async erase(cid: string): Promise<void> {
    await this.erased.lockByChild(cid);
    const { ids, recipients } = await this.erased.findMessages(cid);
    if (ids.length > 0) await this.mailboxes.withdraw(recipients, ids);
    await this.erased.delete(cid, ids);
  }
}
