import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import { pagedQuery } from '../../../core/paged-query.js';
import type { Session } from '../../../core/session/session-store.js';

export type CenterMessage = Schema<'CenterMessageDto'>;

/** The messages, newest first, page by page. */
export function centerMessagesQuery({ client }: Session) {
  return pagedQuery(['message-center', 'list'], (page, options) => client.messageCenter.list(page, options));
}

/** Deletes messages, also while the page is being closed. */
export async function deleteMessages({ client }: Session, messageIds: string[]): Promise<void> {
  await client.rest.POST('/apis/v2/message/center/delete', { body: { messageIds }, keepalive: true });
}

/** The number of unread messages. */
export function unreadQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['message-center', 'unread'],
    queryFn: async ({ signal }) => (await client.messageCenter.list({ limit: 1 }, { signal })).unread,
  });
}
