import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { MessageEnvelope, MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ReceiptStatus, ReceiptPayload } from '@family-watch/domain/messages/contracts/payloads';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK, GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import type { DeliveryAck } from '../../mailbox/delivery-ack-tracker.js';
import { deriveMessageId } from '../../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { ChatMessageRepository } from '../chat/chat-message.repository.js';
import { subjectChildOf } from '../chat/conversation-members.js';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-members.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { ReceiptRepository } from './receipt.repository.js';
import type { MarkAdvance, MemberProgress } from './receipt.repository.js';

/** Advances the delivered and read marks of members, and sends receipts to the senders. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly memberKeys: ConversationMembershipService,
    private readonly receipts: ReceiptRepository,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends receipts to the senders of the messages that these principals have received. `acks` contains at most one
   * acknowledgement per principal.
   */
  async sendDeliveryReceipts(acks: readonly DeliveryAck[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const progress = await this.receipts.applyDeliveryAcks(acks);
      if (progress.length > 0) await this.advanceMarks('DELIVERED', progress);
    });
  }

  /**
   * Marks the conversation as read by the caller up to this message.
   * @throws ServiceError CONVERSATION_NOT_FOUND
   * @throws ServiceError MESSAGE_NOT_FOUND for a message that is not in this conversation, or that was sent before the
   * caller joined
   * @throws ServiceError WATCH_UNBOUND
   */
  async markRead(caller: Principal, conversationId: string, messageId: string): Promise<void> {
    const { member, joinedAtSeq } = await this.memberKeys.membershipOf(caller, conversationId);
    const seq = isUuid(messageId) ? await this.receipts.findSeq(conversationId, messageId) : undefined;
    if (seq === undefined || seq <= joinedAtSeq) throw new ServiceError('MESSAGE_NOT_FOUND');
    await this.unitOfWork.run(() =>
      this.advanceMarks('READ', [{ conversationId, member, conversationSeq: seq }], caller, messageId),
    );
  }

  /**
   * Marks a conversation as read, like {@link markRead}, up to a message in the caller's mailbox.
   * @throws ServiceError MESSAGE_NOT_FOUND
   */
  async markReadByAck(caller: Principal, { id, payload }: MessageEnvelope): Promise<void> {
    const { conversationId } = payload as ChatMessagePayload;
    try {
      await this.markRead(caller, conversationId, id);
    } catch (error) {
      // A caller that has left the conversation cannot access the message any more.
      throw error instanceof ServiceError && error.status < 500 ? new ServiceError('MESSAGE_NOT_FOUND') : error;
    }
  }

  private async advanceMarks(
    status: ReceiptStatus,
    progress: readonly MemberProgress[],
    reader?: Principal,
    messageId = '',
  ): Promise<void> {
    const advances = await this.receipts.advanceMarks(status, progress);
    if (advances.length === 0) return;
    const entries = await this.createReceipts(status, advances);
    if (reader?.type === 'user') entries.push(...(await this.createOwnReceipts(advances, reader, messageId)));
    this.mailboxes.enqueue(entries);
  }

  private async createReceipts(status: ReceiptStatus, advances: readonly MarkAdvance[]): Promise<MailboxEntry[]> {
    const marked = await this.receipts.findNewestMarkedMessages(advances);
    const conversations = await this.messages.findMembers([...new Set(marked.map((each) => each.conversationId))]);
    return marked.flatMap((message) => {
      const members = conversations.get(message.conversationId);
      const reader = members?.activeMembers.find(({ member }) => member === message.reader);
      const author = members?.activeMembers.find(({ member }) => member === message.sender);
      if (!members || !reader || !author) return [];
      return toReceiptEntry({ status, message, reader, author, members, time: this.clock.now() });
    });
  }

  /** Returns receipts that notify the reader's other sessions which messages were read. */
  private async createOwnReceipts(
    advances: readonly MarkAdvance[],
    reader: Principal,
    messageId: string,
  ): Promise<MailboxEntry[]> {
    const conversations = await this.messages.findMembers(advances.map(({ conversationId }) => conversationId));
    return advances.flatMap(({ conversationId, to: conversationSeq }) => {
      const members = conversations.get(conversationId);
      const own = members?.activeMembers.find(({ principal }) => principal === principalKey(reader));
      if (!members || !own) return [];
      const message = { conversationId, messageId, conversationSeq };
      const entries = toReceiptEntry({
        status: 'READ',
        message,
        reader: own,
        author: own,
        members,
        time: this.clock.now(),
      });
      return entries.map((entry) => ({ ...entry, exceptSession: reader.sessionId }));
    });
  }
}

export interface ChatReceipt {
  status: ReceiptStatus;
  message: Pick<ReceiptPayload, 'conversationId' | 'messageId' | 'conversationSeq'>;
  reader: ActiveMember;
  author: ActiveMember;
  members: ConversationMembers;
  /** Unix milliseconds. */
  time: number;
}

/**
 * Creates the AckMessage which notifies `author` that `reader` has received, or read, the author's messages up to
 * `message`. The AckMessage replaces an older receipt of the same reader and conversation. Returns no entry if the
 * author or the reader is a child without a watch.
 */
export function toReceiptEntry({ status, message, reader, author, members, time }: ChatReceipt): MailboxEntry[] {
  if (reader.principal === undefined || author.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: reader.principal };
  const replaceKey = `AckMessage:${conversationId}:${status}:${reader.principal}`;
  const [type, id] = reader.principal.split(':') as [MessageParty, string];
  const child = subjectChildOf(author, reader, members.activeMembers);
  return [
    {
      recipient: author.principal,
      id: deriveMessageId(`${replaceKey}:${conversationSeq}:${author.principal}`),
      kind: 'AckMessage',
      time,
      expiresAt: null,
      from: { type, id },
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: author.familyId,
      audience: members.audience,
      replaceKey,
      payload,
    },
  ];
}
