import type { Schema } from '@family-watch/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export type Conversation = Schema<'ConversationDto'>;
export type ChatMessage = Schema<'ChatMessageDto'>;

export function conversationsQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['conversations', 'list'],
    queryFn: ({ signal }) => client.messages.listConversations({}, { signal }),
  });
}

/** The messages of a conversation, newest first, page by page. */
export function historyQuery({ client }: Session, conversationId: string) {
  return infiniteQueryOptions({
    queryKey: ['conversations', 'history', conversationId],
    queryFn: ({ pageParam, signal }) =>
      client.messages.getHistory({ conversationId, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the members of a conversation other than the person: the child of a direct conversation. */
export function othersOf({ members }: Conversation, userId: string) {
  return members.filter((member) => member.userId !== userId);
}
