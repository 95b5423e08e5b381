import type { DeliveredMessage, Schema } from '@family-watch/client';
import { queryOptions, skipToken, type QueryClient } from '@tanstack/react-query';
import { pagedQuery } from '../../core/paged-query.js';
import type { Session } from '../../core/session/session-store.js';
import {
  chatMessageOf,
  connect,
  placeOf,
  withEarlierPage,
  withLaterPage,
  withMessage,
  withNewestPage,
  withRecalledMessage,
  type ChatMessage,
  type History,
} from './history.js';

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

/** The messages around one that the person has opened, while messages between them and the newest ones are missing. */
function placeKey(conversationId: string) {
  return ['conversations', 'place', conversationId] as const;
}

function messageKey(conversationId: string, messageId: string) {
  return ['conversations', 'message', conversationId, messageId] as const;
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

/** The messages around the one that {@link openPlace} has opened; null if the newest messages are shown. */
export function placeQuery(conversationId: string) {
  return queryOptions<History | null>({ queryKey: placeKey(conversationId), queryFn: skipToken, initialData: null });
}

/** Loads the messages before the first one that is shown. */
export async function loadEarlier({ client }: Session, conversationId: string, queries: QueryClient): Promise<void> {
  const place = placeKey(conversationId);
  const queryKey = queries.getQueryData<History | null>(place) ? place : historyKey(conversationId);
  const cursor = queries.getQueryData<History>(queryKey)?.earlierCursor;
  if (cursor === undefined || cursor === null) return;
  const page = await client.messages.getHistory({ conversationId, cursor, limit: PAGE_SIZE });
  queries.setQueryData<History>(queryKey, (history) =>
    // The list was replaced meanwhile, so that the page is not the one before its first message.
    history?.earlierCursor === cursor ? withEarlierPage(history, page) : history,
  );
}

/** Loads the messages around one, unless it is among the newest ones that are loaded. */
export async function openPlace(
  { client }: Session,
  { conversationId, messageId }: MessagePlace,
  queries: QueryClient,
): Promise<void> {
  const history = queries.getQueryData<History>(historyKey(conversationId));
  if (history?.messages.some(({ id }) => id === messageId)) {
    closePlace(conversationId, queries);
    return;
  }
  const page = await client.messages.getHistory({ conversationId, around: messageId, limit: PAGE_SIZE });
  showPlace(conversationId, placeOf(page, messageId), queries);
}

/** Loads the messages after the last one of the place that is open. */
export async function loadLater({ client }: Session, conversationId: string, queries: QueryClient): Promise<void> {
  const place = queries.getQueryData<History | null>(placeKey(conversationId));
  const last = place?.messages.at(-1);
  if (!place || !last) return;
  const page = await client.messages.getHistory({ conversationId, around: last.id, limit: 2 * PAGE_SIZE });
  // The person may have opened another place meanwhile, or this one has got earlier messages.
  const current = queries.getQueryData<History | null>(placeKey(conversationId));
  if (current?.messages.at(-1)?.id !== last.id) return;
  showPlace(conversationId, withLaterPage(current, page), queries);
}

/** Shows the newest messages again. */
export function closePlace(conversationId: string, queries: QueryClient): void {
  queries.setQueryData<History | null>(placeKey(conversationId), null);
}

/** Shows a place, or the newest messages if no messages are missing between them and the place. */
function showPlace(conversationId: string, place: History, queries: QueryClient): void {
  const history = queries.getQueryData<History>(historyKey(conversationId));
  const connected = history && connect(place, history);
  if (connected) queries.setQueryData<History>(historyKey(conversationId), connected);
  queries.setQueryData<History | null>(placeKey(conversationId), connected ? null : place);
}

export interface MessagePlace {
  conversationId: string;
  messageId: string;
}

/** One message, which may be older than those that are loaded. */
export function messageQuery({ client }: Session, { conversationId, messageId }: MessagePlace) {
  return queryOptions({
    queryKey: messageKey(conversationId, messageId),
    queryFn: async ({ signal }) => {
      const page = await client.messages.getHistory({ conversationId, around: messageId, limit: 1 }, { signal });
      return page.items[0] ?? null;
    },
  });
}

/** The text messages that contain a text, newest first. */
export function searchQuery({ client }: Session, conversationId: string, text: string) {
  return {
    ...pagedQuery(['conversations', 'search', conversationId, text], (page, options) =>
      client.messages.searchHistory({ conversationId, text, limit: PAGE_SIZE, ...page }, options),
    ),
    enabled: text !== '',
  };
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
  recallInHistory(queries, { conversationId, messageId });
}

/** Removes the content of a recalled message from what is loaded. */
export function recallInHistory(queries: QueryClient, { conversationId, messageId }: MessagePlace): void {
  for (const queryKey of [historyKey(conversationId), placeKey(conversationId)])
    queries.setQueryData<History | null>(queryKey, (history) => history && withRecalledMessage(history, messageId));
  queries.setQueryData<ChatMessage | null>(
    messageKey(conversationId, messageId),
    (message) => message && { ...message, payload: null },
  );
  void queries.invalidateQueries({ queryKey: ['conversations', 'search', conversationId] });
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

/** Returns the picture of a conversation with one other member; those with several have none. */
export function photoOf(conversation: Conversation, userId: string): string | null {
  const [other, ...others] = othersOf(conversation, userId);
  return other && others.length === 0 ? other.avatar : null;
}
