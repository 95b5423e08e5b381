import type { DomainEvents } from '@family-watch/domain/events';
import { CHAT_RETENTION, VOICE_RETENTION } from '@family-watch/domain/messages/contracts/chat';
import type { ChatKind, ChatMessagePayload } from '@family-watch/domain/messages/contracts/chat';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Audible, Listener } from '../chat/conversation-cache.js';
import { mediaOf } from './media-of.js';

/** A message that is stored now. */
export interface StoredMessage {
  id: string;
  kind: ChatKind;
  /** Unix milliseconds. */
  time: number;
  payload: ChatMessagePayload;
}

type MediaGranted = NewEventOf<DomainEvents, 'gateway.media.granted'>;

/** Tells the family cloud who of another family may open what was sent; nothing where all are of one family. */
export function mediaGrants(message: StoredMessage, speaker: Listener, { listeners }: Audible): MediaGranted[] {
  const contentIDs = mediaOf(message.kind, message.payload);
  const { familyId, cid: fromCid } = speaker;
  if (contentIDs.length === 0 || fromCid === null) return [];
  const keptFor = message.kind === 'ChatVoiceMessage' ? VOICE_RETENTION : CHAT_RETENTION;
  const common = { messageId: message.id, familyId, contentIDs, fromCid, expiresAt: message.time + keptFor };
  return listeners
    .filter((listener) => listener.familyId !== familyId)
    .flatMap(({ cid: toCid, familyId: toFamilyId }): MediaGranted[] =>
      toCid === null
        ? []
        : [{ name: 'gateway.media.granted', key: familyId, payload: { ...common, toCid, toFamilyId } }],
    );
}
