import type { ChatKind, ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';

/** Kinds whose messages reference files of a family cloud. */
const MEDIA_KINDS = ['ChatVoiceMessage', 'ChatImageMessage', 'ChatVideoMessage'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export function isMediaKind(kind: ChatKind): kind is MediaKind {
  return MEDIA_KINDS.some((each) => each === kind);
}

/** Returns the ids of the files that a message references, the main file first; none for text and emoji. */
export function mediaContentIds(kind: ChatKind, payload: ChatMessagePayload): string[] {
  if (!isMediaKind(kind)) return [];
  const { contentID, thumbnail } = payload as ChatMessagePayload & { contentID: string; thumbnail?: string };
  return thumbnail === undefined ? [contentID] : [contentID, thumbnail];
}
