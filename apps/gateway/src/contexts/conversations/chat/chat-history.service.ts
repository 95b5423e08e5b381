import { Injectable } from '@nestjs/common';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import type { ConversationDto } from '@family-watch/domain/messages/dto/conversation.dto';
import { decodeCursor, toPage } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayChildReads } from '../../../infrastructure/gateway-infrastructure.js';
import { ConversationMembershipService } from '../membership/conversation-membership.service.js';
import { ChatHistoryRepository } from './chat-history.repository.js';
import type { HistoryMessage } from './chat-history.repository.js';
import { ChatMessageRepository } from './chat-message.repository.js';
import { ChatRetention } from './chat-retention.js';
import { MemberNamesService } from './member-names.service.js';

/** Format of the cursor of the conversation list: a conversation id. */
const CONVERSATION_CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const HOUR_MS = 60 * 60 * 1_000;
const RETENTION_BATCH_SIZE = 2_000;

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
  async listConversations(caller: Principal, { cursor, limit }: PageQueryDto): Promise<Page<ConversationDto>> {
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
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError WATCH_UNBOUND
   */
  async listMessages(
    caller: Principal,
    conversationId: string,
    { cursor, limit }: PageQueryDto,
  ): Promise<Page<HistoryMessage>> {
    const [before = Number.MAX_SAFE_INTEGER] = cursor === undefined ? [] : decodeCursor(cursor, /^(\d{1,15})$/);
    const membership = await this.memberships.membershipOf(caller, conversationId);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const found = await this.history.findBefore(membership, Number(before), size + 1);
    const page = toPage(found, size, ({ conversationSeq }) => [conversationSeq]);
    this.recordReads(caller, page.items);
    return page;
  }

  /** Deletes messages whose retention period is over, in batches; voice messages have a shorter period. */
  @OnJob('gateway.conversations.delete-expired-messages', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const size = RETENTION_BATCH_SIZE;
    while ((await this.messages.prune(now - this.retention.chatMs, size)) === size);
    while ((await this.messages.pruneVoice(now - this.retention.voiceMs, size)) === size);
  }

  /** Records whose messages the caller saw. A recalled message has no content that the caller could see. */
  private recordReads(caller: Principal, messages: readonly HistoryMessage[]): void {
    for (const { cid, payload } of messages)
      if (cid !== null && payload !== null) this.childReads.recordCaller(caller, cid, 'CHAT');
  }
}
