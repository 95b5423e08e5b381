import { responseData } from '@family-watch/client/rest/response-data';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import type { Schema } from '@family-watch/client/rest/schemas';
import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import { retryUntilAvailable } from '../retry.js';

const PAGE = 200;

/** A message of the message centre, and when its notice came: Unix milliseconds by this machine. */
export type LoggedCenterMessage = Schema<'CenterMessageDto'> & { at: number };

/** What a person is told in the message centre: a notice says that there is something, the centre says what. */
export class CenterMessageLog {
  private readonly items: LoggedCenterMessage[] = [];

  constructor(
    private readonly api: RestClient,
    gateway: GatewayClient,
  ) {
    gateway.onMessage('MessageCenterChangeNoticeMessage', ({ payload }) => this.lookUp(payload.messageId, Date.now()));
  }

  /** In the order they came. */
  of(type: CenterMessageType): readonly LoggedCenterMessage[] {
    return this.items.filter((item) => item.type === type);
  }

  private async lookUp(messageId: string, at: number): Promise<void> {
    const params = { query: { limit: PAGE } };
    const page = await retryUntilAvailable(() =>
      responseData(this.api.GET('/apis/v2/message/center/list', { params })),
    );
    const found = page.items.find((item) => item.messageId === messageId);
    if (found) this.items.push({ ...found, at });
  }
}
