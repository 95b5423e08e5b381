import type { ChatKind, ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';

/** Kinds whose message names contents of a family cloud. */
const MEDIA_KINDS = ['ChatVoiceMessage', 'ChatImageMessage', 'ChatVideoMessage'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export function isMediaKind(kind: ChatKind): kind is MediaKind {
  return MEDIA_KINDS.some((each) => each === kind);
}

/** The contents that a message names, itself first; none for what is only said. */
export function mediaContentIds(kind: ChatKind, payload: ChatMessagePayload): string[] {
  if (!isMediaKind(kind)) return [];
  const { contentID, thumbnail } = payload as ChatMessagePayload & { contentID: string; thumbnail?: string };
  return thumbnail === undefined ? [contentID] : [contentID, thumbnail];
}
