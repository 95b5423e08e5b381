import type { DomainEvents } from '@family-watch/domain/events';
import { CHAT_RETENTION_MS, VOICE_RETENTION_MS } from '@family-watch/domain/messages/contracts/chat';
import type { ChatKind, ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-cache.js';
import { mediaContentIds } from './media-contents.js';

/** A message that is stored now. */
export interface PersistedChatMessage {
  id: string;
  kind: ChatKind;
  /** Unix milliseconds. */
  time: number;
  payload: ChatMessagePayload;
}

type MediaGranted = NewEventOf<DomainEvents, 'gateway.media.granted'>;

/** Tells the family cloud who of another family may open what was sent; nothing where all are of one family. */
export function mediaGrantEvents(
  message: PersistedChatMessage,
  speaker: ActiveMember,
  { activeMembers }: ConversationMembers,
): MediaGranted[] {
  const contentIDs = mediaContentIds(message.kind, message.payload);
  const { familyId, cid: fromCid } = speaker;
  if (contentIDs.length === 0 || fromCid === null) return [];
  const keptFor = message.kind === 'ChatVoiceMessage' ? VOICE_RETENTION_MS : CHAT_RETENTION_MS;
  const common = { messageId: message.id, familyId, contentIDs, fromCid, expiresAt: message.time + keptFor };
  return activeMembers
    .filter((listener) => listener.familyId !== familyId)
    .flatMap(({ cid: toCid, familyId: toFamilyId }): MediaGranted[] =>
      toCid === null
        ? []
        : [{ name: 'gateway.media.granted', key: familyId, payload: { ...common, toCid, toFamilyId } }],
    );
}
