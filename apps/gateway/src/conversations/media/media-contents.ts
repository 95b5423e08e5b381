import type { DomainEvents } from '@family-watch/domain/events';
import type { ChatKind, ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-members.js';

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

/** A chat message that is being stored. */
export interface PersistedChatMessage {
  id: string;
  kind: ChatKind;
  /** Unix milliseconds. */
  time: number;
  payload: ChatMessagePayload;
}

type MediaGrantedEvent = NewEventOf<DomainEvents, 'gateway.media.granted'>;

/**
 * Creates the events that grant members of another family access to the sent files; none within one family. The access
 * ends with the retention of the message, `retentionMs` milliseconds after it was sent.
 */
export function mediaGrantEvents(
  message: PersistedChatMessage,
  sender: ActiveMember,
  { activeMembers }: ConversationMembers,
  retentionMs: number,
): MediaGrantedEvent[] {
  const contentIDs = mediaContentIds(message.kind, message.payload);
  const { familyId, cid: fromCid } = sender;
  if (contentIDs.length === 0 || fromCid === null) return [];
  const common = { messageId: message.id, familyId, contentIDs, fromCid, expiresAt: message.time + retentionMs };
  return activeMembers
    .filter((member) => member.familyId !== familyId)
    .flatMap(({ cid: toCid, familyId: toFamilyId }): MediaGrantedEvent[] =>
      toCid === null
        ? []
        : [{ name: 'gateway.media.granted', key: familyId, payload: { ...common, toCid, toFamilyId } }],
    );
}
