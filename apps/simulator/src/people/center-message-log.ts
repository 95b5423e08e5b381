import { responseData } from '@family-watch/client/rest/response-data';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import type { Schema } from '@family-watch/client/rest/schemas';
import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import { retryUntilAvailable } from '../retry.js';

const PAGE_SIZE = 200;

/**
 * A center message. `at` is the time when its notice was received, in Unix milliseconds by the clock of this machine.
 */
export type LoggedCenterMessage = Schema<'CenterMessageDto'> & { at: number };

/** Collects a person's center messages: each notice triggers a read of the message centre. */
export class CenterMessageLog {
  private readonly items: LoggedCenterMessage[] = [];

  constructor(
    private readonly api: RestClient,
    gateway: GatewayClient,
  ) {
    gateway.onMessage('MessageCenterChangeNoticeMessage', ({ payload }) => this.fetch(payload.messageId, Date.now()));
  }

  /** Returns the center messages of this type in order of receipt. */
  ofType(type: CenterMessageType): readonly LoggedCenterMessage[] {
    return this.items.filter((item) => item.type === type);
  }

  private async fetch(messageId: string, at: number): Promise<void> {
    const params = { query: { limit: PAGE_SIZE } };
    const page = await retryUntilAvailable(() =>
      responseData(this.api.GET('/apis/v2/message/center/list', { params })),
    );
    const found = page.items.find((item) => item.messageId === messageId);
    if (found) this.items.push({ ...found, at });
  }
}
