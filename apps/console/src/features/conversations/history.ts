import type { DeliveredMessage, Schema } from '@family-watch/client';

export type ChatMessage = Schema<'ChatMessageDto'>;
type HistoryPage = Pick<Schema<'HistoryPageDto'>, 'items' | 'nextCursor'>;

/** The loaded messages of a conversation, from some message to the newest without a gap. */
export interface History {
  /** By `conversationSeq`, the newest last. */
  readonly messages: readonly ChatMessage[];
  /** Cursor of the page before the first message; null if there is none. */
  readonly earlierCursor: string | null;
  /** The opened message with which the list began; absent for one that began with the newest messages. */
  readonly openedAt?: string | undefined;
}

/**
 * Adds the newest page to what is loaded. If messages between the two are missing, only the new page is kept, because
 * a list with an invisible gap would be wrong.
 */
export function withNewestPage(history: History | undefined, { items, nextCursor }: HistoryPage): History {
  const page = items.toSorted(bySequence);
  const oldest = page[0];
  const isConnected =
    history !== undefined &&
    oldest !== undefined &&
    history.messages.some(({ conversationSeq }) => conversationSeq >= oldest.conversationSeq);
  if (!isConnected) return { messages: page, earlierCursor: nextCursor };
  return { ...history, messages: merge(history.messages, page) };
}

/** Returns the page around a message, as a list from some message to another one. */
export function placeOf({ items, nextCursor }: HistoryPage, messageId: string): History {
  return { messages: items.toSorted(bySequence), earlierCursor: nextCursor, openedAt: messageId };
}

/** Adds the page around the last message of a place. */
export function withLaterPage(place: History, { items }: Pick<HistoryPage, 'items'>): History {
  const first = place.messages[0]?.conversationSeq ?? 0;
  return {
    ...place,
    messages: merge(
      place.messages,
      items.filter(({ conversationSeq }) => conversationSeq > first),
    ),
  };
}

/** Returns a place and the newest messages as one list, or undefined if messages between them are missing. */
export function connect(place: History, newest: History): History | undefined {
  const last = place.messages.at(-1)?.conversationSeq ?? 0;
  const oldest = newest.messages[0]?.conversationSeq ?? Infinity;
  if (last < oldest - 1) return undefined;
  return { ...place, messages: merge(place.messages, newest.messages) };
}

/** Adds the page before the first message. */
export function withEarlierPage(history: History, { items, nextCursor }: HistoryPage): History {
  return { ...history, messages: merge(history.messages, items), earlierCursor: nextCursor };
}

/**
 * Adds a message that the service has stored: one that arrived, or an own one that was confirmed. Returns undefined if
 * messages before it are missing, and the newest page must be loaded.
 */
export function withMessage(history: History, message: ChatMessage): History | undefined {
  const newest = history.messages.at(-1)?.conversationSeq ?? 0;
  if (message.conversationSeq > newest + 1) return undefined;
  // A message that arrives again must not undo its recall.
  if (history.messages.some(({ id }) => id === message.id)) return history;
  return { ...history, messages: merge(history.messages, [message]) };
}

export function withRecalledMessage(history: History, messageId: string): History {
  const messages = history.messages.map((message) =>
    message.id === messageId ? { ...message, payload: null } : message,
  );
  return { ...history, messages };
}

type DeliveredChatMessage = DeliveredMessage<ChatMessage['kind']>;

/** Returns the message of the socket as the history lists it. */
export function chatMessageOf({ id, kind, time, from, cid, payload }: DeliveredChatMessage): ChatMessage {
  return {
    ...{ id, kind, time, from },
    cid: from.type === 'watch' ? (cid ?? null) : null,
    conversationSeq: payload.conversationSeq,
    payload: { ...payload },
  };
}

/** Unions two lists by id; a message of the second list replaces the same one of the first. */
function merge(messages: readonly ChatMessage[], others: readonly ChatMessage[]): ChatMessage[] {
  const byId = new Map([...messages, ...others].map((message) => [message.id, message]));
  return [...byId.values()].sort(bySequence);
}

function bySequence(one: ChatMessage, other: ChatMessage): number {
  return one.conversationSeq - other.conversationSeq;
}
