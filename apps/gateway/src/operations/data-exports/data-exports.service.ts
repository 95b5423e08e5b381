import { Injectable } from '@nestjs/common';
import {
  EXPORT_PAGE_SIZE,
  type DataExportSource,
  type ExportDocument,
  type ExportPage,
  type ExportPageRequest,
} from '@family-watch/domain/privacy/contracts/data-export';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ChatHistoryService } from '../../conversations/chat/chat-history.service.js';
import { MessageCenterService } from '../../notifications/message-center/message-center.service.js';
import { SubscriptionService } from '../../notifications/subscriptions/subscription.service.js';
import { CallLogService } from '../../calls/call-log.service.js';

const ACCOUNT_SECTIONS = ['conversations', 'message-center', 'subscription', 'calls'] as const;
const CHAT_SECTION = 'chat';

/**
 * The data of the gateway for exports. Each section calls the service of an operation with the person as caller, so that
 * an export contains only what the person could read by the operations.
 */
@Injectable()
export class DataExportsService implements DataExportSource {
  constructor(
    private readonly history: ChatHistoryService,
    private readonly center: MessageCenterService,
    private readonly subscriptions: SubscriptionService,
    private readonly calls: CallLogService,
  ) {}

  async listDocuments(userId: string): Promise<ExportDocument[]> {
    const conversationIds: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await this.history.listConversations(callerOf(userId), {
        limit: EXPORT_PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      });
      conversationIds.push(...page.items.map(({ conversationId }) => conversationId));
      cursor = page.nextCursor;
    }
    return [
      ...ACCOUNT_SECTIONS.map((section) => ({ path: `account/${section}.json`, section, id: '' })),
      ...conversationIds.map((id) => ({ path: `messages/${id}.json`, section: CHAT_SECTION, id })),
    ];
  }

  async readPage({ userId, section, id, cursor }: ExportPageRequest): Promise<ExportPage | null> {
    const page = { limit: EXPORT_PAGE_SIZE, ...(cursor !== null && { cursor }) };
    try {
      const { items, nextCursor } = await this.read(callerOf(userId), section, { id, page });
      return { records: items, nextCursor };
    } catch (error) {
      if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return null;
      throw error;
    }
  }

  private async read(
    caller: Principal,
    section: string,
    { id, page }: { id: string; page: { limit: number; cursor?: string } },
  ): Promise<Page<unknown>> {
    switch (section) {
      case 'conversations':
        return this.history.listConversations(caller, page);
      case 'message-center':
        return this.center.list(caller.id, page);
      case 'subscription':
        return { items: [await this.subscriptions.get(caller.id)], nextCursor: null };
      case 'calls':
        return this.calls.list(caller, page);
      case CHAT_SECTION:
        return this.history.listMessages(caller, { ...page, conversationId: id });
      default:
        return { items: [], nextCursor: null };
    }
  }
}

function callerOf(userId: string): Principal {
  return { type: 'user', id: userId, sessionId: '' };
}
