import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import type { DeliveryAck } from '../../../protocol/delivery-ack-tracker.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { ChatMessageRepository } from '../chat/chat-message.repository.js';
import { ConversationMemberService } from '../membership/conversation-member.service.js';
import { toReceiptEntry } from './receipt-entry.js';
import { ReceiptRepository } from './receipt.repository.js';
import type { MarkAdvance, MemberProgress } from './receipt.repository.js';

/** How far members have received and read: marks that only move forward, and the senders' receipts. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly members: ConversationMemberService,
    private readonly receipts: ReceiptRepository,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Tells the senders of what has reached these principals; at most one arrival of each. */
  async sendDeliveryReceipts(arrivals: readonly DeliveryAck[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const progress = await this.receipts.applyDeliveryAcks(arrivals);
      if (progress.length > 0) await this.move('DELIVERED', progress);
    });
  }

  /**
   * The caller has read the conversation up to this message.
   * @throws ServiceError CONVERSATION_NOT_FOUND; MESSAGE_NOT_FOUND for a message that is not in it, or that was said
   * before the caller joined; WATCH_UNBOUND
   */
  async markRead(caller: Principal, conversationId: string, messageId: string): Promise<void> {
    const { member, joinedAtSeq } = await this.members.membershipOf(caller, conversationId);
    const seq = isUuid(messageId) ? await this.receipts.findNumber(conversationId, messageId) : undefined;
    if (seq === undefined || seq <= joinedAtSeq) throw new ServiceError('MESSAGE_NOT_FOUND');
    await this.unitOfWork.run(() =>
      this.move('READ', [{ conversationId, member, conversationSeq: seq }], caller, messageId),
    );
  }

  /** The same of a message that the caller has received. @throws ServiceError MESSAGE_NOT_FOUND */
  async markReadByAck(caller: Principal, { id, payload }: MessageEnvelope): Promise<void> {
    const { conversationId } = payload as ChatMessagePayload;
    try {
      await this.markRead(caller, conversationId, id);
    } catch (error) {
      // Whoever has left does not have it any more.
      throw error instanceof ServiceError && error.status < 500 ? new ServiceError('MESSAGE_NOT_FOUND') : error;
    }
  }

  private async move(
    status: ReceiptStatus,
    progress: readonly MemberProgress[],
    reader?: Principal,
    messageId = '',
  ): Promise<void> {
    const movements = await this.receipts.advance(status, progress);
    if (movements.length === 0) return;
    const entries = await this.receiptsOf(status, movements);
    if (reader?.type === 'user') entries.push(...(await this.echoes(movements, reader, messageId)));
    this.mailboxes.enqueue(entries);
  }

  private async receiptsOf(status: ReceiptStatus, movements: readonly MarkAdvance[]): Promise<MailboxEntry[]> {
    const covered = await this.receipts.findCovered(movements);
    const conversations = await this.messages.findMembers([...new Set(covered.map((each) => each.conversationId))]);
    return covered.flatMap((message) => {
      const audible = conversations.get(message.conversationId);
      const by = audible?.activeMembers.find(({ member }) => member === message.reader);
      const to = audible?.activeMembers.find(({ member }) => member === message.sender);
      if (!audible || !by || !to) return [];
      return toReceiptEntry({ status, message, by, to, audible, time: this.clock.now() });
    });
  }

  /** The reader's other sessions show it as read, too. */
  private async echoes(
    movements: readonly MarkAdvance[],
    reader: Principal,
    messageId: string,
  ): Promise<MailboxEntry[]> {
    const conversations = await this.messages.findMembers(movements.map(({ conversationId }) => conversationId));
    return movements.flatMap(({ conversationId, to: conversationSeq }) => {
      const audible = conversations.get(conversationId);
      const own = audible?.activeMembers.find(({ principal }) => principal === principalKey(reader));
      if (!audible || !own) return [];
      const message = { conversationId, messageId, conversationSeq };
      const entries = toReceiptEntry({ status: 'READ', message, by: own, to: own, audible, time: this.clock.now() });
      return entries.map((entry) => ({ ...entry, exceptSession: reader.sessionId }));
    });
  }
}
