import type { DeliveredMessage, Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';
import { chatMessageOf, withEarlierPage, withMessage, withNewestPage, withRecalledMessage } from './history.js';
import type { ChatMessage, History } from './history.js';

export type { ChatMessage } from './history.js';
export type Conversation = Schema<'ConversationDto'>;

const PAGE_SIZE = 50;

export function conversationsQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['conversations', 'list'],
    queryFn: ({ signal }) => client.messages.listConversations({}, { signal }),
  });
}

function historyKey(conversationId: string) {
  return ['conversations', 'history', conversationId] as const;
}

/**
 * The loaded messages of a conversation. Messages of the socket are added as they arrive, so that the query requests the
 * newest page only when it cannot know what is missing.
 */
export function historyQuery({ client }: Session, conversationId: string, queries: QueryClient) {
  return queryOptions({
    queryKey: historyKey(conversationId),
    queryFn: async ({ signal }) => {
      const page = await client.messages.getHistory({ conversationId, limit: PAGE_SIZE }, { signal });
      return withNewestPage(queries.getQueryData(historyKey(conversationId)), page);
    },
  });
}

/** Loads the messages before the first one. */
export async function loadEarlier({ client }: Session, conversationId: string, queries: QueryClient): Promise<void> {
  const cursor = queries.getQueryData<History>(historyKey(conversationId))?.earlierCursor;
  if (cursor === undefined || cursor === null) return;
  const page = await client.messages.getHistory({ conversationId, cursor, limit: PAGE_SIZE });
  queries.setQueryData<History>(historyKey(conversationId), (history) =>
    // The list was replaced meanwhile, so that the page is not the one before its first message.
    history?.earlierCursor === cursor ? withEarlierPage(history, page) : history,
  );
}

/** Adds a message that the service has stored to what is loaded. */
export function addToHistory(queries: QueryClient, conversationId: string, message: ChatMessage): void {
  const queryKey = historyKey(conversationId);
  const history = queries.getQueryData<History>(queryKey);
  if (!history) return;
  const added = withMessage(history, message);
  if (added) queries.setQueryData<History>(queryKey, added);
  else void queries.invalidateQueries({ queryKey });
}

/** Applies a message of the socket to the loaded messages. */
export function applyToHistory(queries: QueryClient, message: DeliveredMessage): void {
  if (isChat(message)) {
    addToHistory(queries, message.payload.conversationId, chatMessageOf(message));
    return;
  }
  if (!isConversationChange(message)) return;
  const { conversationId, change, messageId } = message.payload;
  if (change !== 'MESSAGE_RECALLED' || messageId === undefined) return;
  queries.setQueryData<History>(
    historyKey(conversationId),
    (history) => history && withRecalledMessage(history, messageId),
  );
}

function isChat(message: DeliveredMessage): message is DeliveredMessage<ChatMessage['kind']> {
  return message.kind.startsWith('Chat');
}

function isConversationChange(
  message: DeliveredMessage,
): message is DeliveredMessage<'ConversationChangeNoticeMessage'> {
  return message.kind === 'ConversationChangeNoticeMessage';
}

/** The cloud that contains the files of a conversation: that of the child's family. */
export function cloudOfConversationQuery({ client }: Session, conversation: Conversation | undefined) {
  const cid = conversation?.members.find((member) => member.cid !== null)?.cid ?? '';
  return queryOptions({
    queryKey: ['conversations', 'cloud', cid],
    queryFn: async ({ signal }) => (await client.children.get({ cid }, { signal })).familyId,
    enabled: cid !== '',
    staleTime: Infinity,
  });
}

/** Returns the members of a conversation other than the person: the child of a direct conversation. */
export function othersOf({ members }: Conversation, userId: string) {
  return members.filter((member) => member.userId !== userId);
}
