import { Injectable } from '@nestjs/common';
import { isUuid, MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import type {
  ChatMessageDto,
  ConversationPageDto,
  HistoryPageDto,
  HistoryQueryDto,
  SearchHistoryQueryDto,
} from '@family-watch/domain/messages/dto/conversation.dto';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { decodeCursor, encodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayChildReads } from '../../infrastructure/gateway-infrastructure.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { ChatHistoryRepository } from './chat-history.repository.js';
import { ChatMessageRepository } from './chat-message.repository.js';
import { ChatRetention } from './chat-retention.js';
import { MemberNamesService } from './member-names.service.js';

/** Format of the cursor of the conversation list: a conversation id. */
const CONVERSATION_CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const HOUR_MS = 60 * 60 * 1_000;
/** Texts have no index, so that a request searches so many of the conversation's messages. */
const MAX_SEARCHED_MESSAGES = 5_000;
const RETENTION_BATCH_SIZE = 2_000;

/** Returns the sequence number before which a page begins. */
function beforeOf(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : Number(decodeCursor(cursor, /^(\d{1,15})$/)[0]);
}

/** Lists a member's conversations, and the messages sent since the member joined. Recalled messages have no payload. */
@Injectable()
export class ChatHistoryService {
  constructor(
    private readonly memberships: ConversationMembershipService,
    private readonly history: ChatHistoryRepository,
    private readonly messages: ChatMessageRepository,
    private readonly retention: ChatRetention,
    private readonly childReads: GatewayChildReads,
    private readonly memberNames: MemberNamesService,
  ) {}

  /**
   * Returns the caller's conversations in a stable order, with the names of their current members.
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError WATCH_UNBOUND
   */
  async listConversations(caller: Principal, { cursor, limit }: PageQueryDto): Promise<ConversationPageDto> {
    const [after = MIN_UUID] = cursor === undefined ? [] : decodeCursor(cursor, CONVERSATION_CURSOR);
    const member = await this.memberships.memberKeyOf(caller);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const found = await this.history.findConversations(member, after, size + 1);
    const page = toPage(found, size, ({ conversationId }) => [conversationId]);
    this.recordReads(
      caller,
      page.items.flatMap(({ lastMessage }) => lastMessage ?? []),
    );
    return { ...page, items: await this.memberNames.addTo(caller, page.items) };
  }

  /**
   * Returns the messages of a conversation, newest first.
   * @throws ServiceError CONVERSATION_NOT_FOUND
   * @throws ServiceError MESSAGE_NOT_FOUND for an unknown message `around`
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError WATCH_UNBOUND
   */
  async listMessages(
    caller: Principal,
    { conversationId, around, cursor, limit }: HistoryQueryDto,
  ): Promise<HistoryPageDto> {
    const given = beforeOf(cursor);
    const membership = await this.memberships.membershipOf(caller, conversationId);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const before = given ?? (around === undefined ? undefined : await this.endAround(membership, around, size));
    const found = await this.history.findBefore(membership, before ?? Number.MAX_SAFE_INTEGER, size + 1);
    return this.toHistoryPage(caller, found, size);
  }

  /**
   * Returns the text messages of a conversation that contain a text, newest first. A page can be short, or empty with a
   * next one, because a request searches a limited number of messages.
   * @throws ServiceError CONVERSATION_NOT_FOUND
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError WATCH_UNBOUND
   */
  async searchMessages(
    caller: Principal,
    { conversationId, text, cursor, limit }: SearchHistoryQueryDto,
  ): Promise<HistoryPageDto> {
    const before = beforeOf(cursor) ?? Number.MAX_SAFE_INTEGER;
    const membership = await this.memberships.membershipOf(caller, conversationId);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const from = await this.history.findSearchEnd(membership, before, MAX_SEARCHED_MESSAGES);
    const found = await this.history.search(membership, text, { from, before, limit: size + 1 });
    const page = this.toHistoryPage(caller, found, size);
    // The next page continues after the messages that were searched.
    return page.nextCursor === null && from !== undefined ? { ...page, nextCursor: encodeCursor(from) } : page;
  }

  /** Deletes messages whose retention period is over, in batches; voice messages have a shorter period. */
  @OnJob('gateway.conversations.delete-expired-messages', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const size = RETENTION_BATCH_SIZE;
    while ((await this.messages.prune(now - this.retention.chatMs, size)) === size);
    while ((await this.messages.pruneVoice(now - this.retention.voiceMs, size)) === size);
  }

  /** Returns the sequence number that ends a page with the message in its middle. */
  private async endAround(membership: ConversationMemberEntity, messageId: string, size: number): Promise<number> {
    const sequenceNumber = isUuid(messageId) ? await this.history.findSequenceNumber(membership, messageId) : undefined;
    if (sequenceNumber === undefined) throw new ServiceError('MESSAGE_NOT_FOUND');
    return sequenceNumber + Math.floor(size / 2) + 1;
  }

  private toHistoryPage(caller: Principal, found: ChatMessageDto[], size: number): HistoryPageDto {
    const page = toPage(found, size, ({ conversationSeq }) => [conversationSeq]);
    this.recordReads(caller, page.items);
    return page;
  }

  /** Records whose messages the caller saw. A recalled message has no content that the caller could see. */
  private recordReads(caller: Principal, messages: readonly ChatMessageDto[]): void {
    for (const { cid, payload } of messages)
      if (cid !== null && payload !== null) this.childReads.recordCaller(caller, cid, 'CHAT');
  }
}
