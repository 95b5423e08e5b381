import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CHAT_KIND, type ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ReceiptStatus, ReceiptPayload } from '@family-watch/domain/messages/contracts/payloads';
import type { Clock } from '@family-watch/event-bus/clock';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { AcknowledgementsService } from '../../mailbox/acknowledgements.service.js';
import { mergeDeliveryAcks, type DeliveryAck } from '../../mailbox/delivery-ack-tracker.js';
import { deriveMessageId, type MailboxEntry, type ReportedMessage } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { ChatMessageRepository } from '../chat/chat-message.repository.js';
import { subjectChildOf, type ConversationMembers, type ActiveMember } from '../chat/conversation-members.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { ReceiptRepository, type MarkAdvance, type MemberProgress } from './receipt.repository.js';

/** Milliseconds for which acknowledgements are collected before their receipts are sent. */
const COLLECTION_PERIOD_MS = 1_000;
const ACK_BATCH_SIZE = 100;
/** Maximum number of pending acknowledgements that one run of the job finds. */
const MAX_PENDING_ACKS_PER_RUN = 10_000;
/** Longer than a transaction, the difference between the clocks of nodes, and the precision of `seen_at` together. */
const SEARCH_OVERLAP_MS = 10 * 60_000;
const CHAT_KINDS = Object.values(CHAT_KIND);

/**
 * Advances the delivered and read marks of members, and sends receipts to the senders. No client request waits for a
 * delivery receipt. If a node stops before it has sent receipts, another node finds the missing receipts by comparing
 * the sessions' cursors with the receipt cursors.
 */
@Injectable()
export class ReceiptsService implements OnApplicationShutdown {
  private readonly logger = new Logger(ReceiptsService.name);
  private readonly pendingAcks = new Map<PrincipalKey, DeliveryAck>();
  private currentRun: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Unix milliseconds of the last run of {@link findPending} that found all receipts. */
  private searchedAt = 0;

  constructor(
    acknowledgements: AcknowledgementsService,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly memberships: ConversationMembershipService,
    private readonly receipts: ReceiptRepository,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    acknowledgements.onAcknowledged((ack) => this.add(ack));
    acknowledgements.onRead(CHAT_KINDS, (caller, message) => this.markReadByAck(caller, message));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.currentRun;
  }

  /** Finds the receipts that a stopped node has not sent, among the sessions seen since the previous run. */
  @OnJob('gateway.conversations.find-pending-receipts', { intervalMs: 5 * 60_000, firstRun: 'at start' })
  async findPending(now: number): Promise<void> {
    const acks = await this.receipts.findPending(this.searchedAt - SEARCH_OVERLAP_MS, MAX_PENDING_ACKS_PER_RUN);
    for (const ack of acks) this.add(ack);
    if (acks.length < MAX_PENDING_ACKS_PER_RUN) this.searchedAt = now;
  }

  /**
   * Sends receipts to the senders of the messages that these principals have received. `acks` contains at most one
   * acknowledgement per principal.
   */
  private async sendDeliveryReceipts(acks: readonly DeliveryAck[]): Promise<void> {
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
    const { member, joinedAtSeq } = await this.memberships.membershipOf(caller, conversationId);
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
  private async markReadByAck(caller: Principal, { id, payload }: ReportedMessage): Promise<void> {
    const { conversationId } = payload as ChatMessagePayload;
    try {
      await this.markRead(caller, conversationId, id);
    } catch (error) {
      // A caller that has left the conversation cannot access the message any more.
      throw error instanceof ServiceError && error.status < 500 ? new ServiceError('MESSAGE_NOT_FOUND') : error;
    }
  }

  private add(ack: DeliveryAck): void {
    this.mergePending(ack);
    if (this.timer !== undefined || this.isStopped) return;
    this.timer = setTimeout(() => {
      this.currentRun = this.sendPending().finally(() => this.scheduleNextRun());
    }, COLLECTION_PERIOD_MS);
    this.timer.unref();
  }

  private scheduleNextRun(): void {
    this.timer = undefined;
    const [next] = this.pendingAcks.values();
    if (next) this.add(next);
  }

  private mergePending(ack: DeliveryAck): void {
    const { principal } = ack;
    const pending = this.pendingAcks.get(principal);
    this.pendingAcks.set(principal, pending && pending !== ack ? mergeDeliveryAcks(pending, ack) : ack);
  }

  private async sendPending(): Promise<void> {
    const all = [...this.pendingAcks.values()];
    this.pendingAcks.clear();
    for (let start = 0; start < all.length; start += ACK_BATCH_SIZE) {
      await this.sendBatch(all.slice(start, start + ACK_BATCH_SIZE));
    }
  }

  private async sendBatch(acks: readonly DeliveryAck[]): Promise<void> {
    try {
      await this.sendDeliveryReceipts(acks);
    } catch (error) {
      this.logger.warn({ msg: 'Delivery receipts failed', receipts: acks.length, err: error });
      for (const ack of acks) this.mergePending(ack);
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

interface ChatReceipt {
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
function toReceiptEntry({ status, message, reader, author, members, time }: ChatReceipt): MailboxEntry[] {
  if (reader.principal === undefined || author.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: reader.principal };
  const replaceKey = `AckMessage:${conversationId}:${status}:${reader.principal}`;
  const [type, id] = reader.principal.split(':') as [MessageParty, string];
  const child = subjectChildOf(author, reader, members);
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
