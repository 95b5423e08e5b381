import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { RECALL_WINDOW_MS } from '@family-watch/domain/messages/contracts/chat';
import type { Clock } from '@family-watch/event-bus/clock';
import { GatewayOutbox, CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { isMediaKind } from '../media/media-contents.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { conversationChangeNoticeFor } from '../membership/conversation-plan.js';
import { ChatMessageRepository, type RecallableMessage } from './chat-message.repository.js';
import type { ActiveMember } from './conversation-members.js';

/** Recalls messages for their sender. */
@Injectable()
export class RecallService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly memberships: ConversationMembershipService,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    private readonly outbox: GatewayOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Recalls a message: removes its payload from the history, withdraws it from mailboxes that have not delivered it,
   * and notifies the members that already received it. Idempotent.
   * @throws ServiceError MESSAGE_NOT_FOUND for a message that the caller has not sent
   * @throws ServiceError RECALL_EXPIRED after two minutes
   * @throws ServiceError WATCH_UNBOUND
   */
  async recall(caller: Principal, messageId: string): Promise<void> {
    const sender = await this.memberships.memberKeyOf(caller);
    await this.unitOfWork.run(async () => {
      const unlockedMessage = isUuid(messageId) ? await this.messages.findRecallable(messageId, sender) : undefined;
      if (!unlockedMessage) throw new ServiceError('MESSAGE_NOT_FOUND');
      const { conversationId } = unlockedMessage;
      await this.messages.lock([conversationId]);
      const message = await this.messages.findRecallable(messageId, sender);
      if (!message) throw new ServiceError('MESSAGE_NOT_FOUND');
      if (message.recalled) return;
      const now = this.clock.now();
      if (now - message.time > RECALL_WINDOW_MS) throw new ServiceError('RECALL_EXPIRED');
      await this.messages.markRecalled(messageId, now);
      await this.endGrant(messageId, message);
      const members = (await this.messages.findMembers([conversationId])).get(conversationId)?.activeMembers ?? [];
      await this.mailboxes.withdraw(
        members.flatMap(({ principal }) => principal ?? []),
        [messageId],
      );
      this.mailboxes.enqueue(
        members.flatMap((member) => recallNoticesFor(member, caller, conversationId, messageId, now)),
      );
    });
  }

  /** Ends the media grant of the message, if one exists. */
  private async endGrant(messageId: string, { familyId, kind }: RecallableMessage): Promise<void> {
    if (!isMediaKind(kind)) return;
    await this.outbox.append({ name: 'gateway.media.grant-ended', key: familyId, payload: { messageId, familyId } });
  }
}

/**
 * Returns the recall notices for one member. The session that recalls the message gets no notice. A watch that recalls
 * a message gets no notice, because a watch has no other session.
 */
function recallNoticesFor(
  member: ActiveMember,
  caller: Principal,
  conversationId: string,
  messageId: string,
  time: number,
): MailboxEntry[] {
  const isCaller = member.principal === principalKey(caller);
  if (isCaller && member.cid !== null) return [];
  const payload = { conversationId, change: 'MESSAGE_RECALLED', messageId } as const;
  const notices = conversationChangeNoticeFor(member, payload, { id: 'recall', time });
  return isCaller ? notices.map((notice) => ({ ...notice, exceptSession: caller.sessionId })) : notices;
}
