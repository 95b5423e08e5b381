import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Ids } from './ids.js';

/** Ids that a socket event may name. */
export interface EventIds extends Ids {
  messageId: string;
  token: string;
}

type EventOutcome = 'ok' | ErrorReason;

/** One row of the access matrix: an event that clients may send. */
export interface EventRow {
  senderKinds: readonly ('user' | 'watch')[];
  /** Creates a valid payload with these ids. Ids of a sender in a payload must have no effect. */
  payload(ids: EventIds): object;
  /** Expected error for each id in the payload, when the id is foreign or unknown. */
  rejections: Partial<Record<keyof EventIds, EventOutcome>>;
  /** Expected outcome for an unbound watch. */
  outcomeWhenUnbound: EventOutcome;
}

const POINT = { latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1 };

/** Creates the row of a media message. The gateway waits for an unknown `contentID`: its event may be in transit. */
function createMediaRow(clientMsgId: string, payload: object): EventRow {
  return {
    senderKinds: ['user', 'watch'],
    payload: ({ conversationId, contentID }) => ({ clientMsgId, conversationId, contentID, ...payload }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  };
}

export const EVENT_ROWS: Readonly<Record<string, EventRow>> = {
  token: {
    senderKinds: ['user', 'watch'],
    payload: ({ token }) => ({ token }),
    rejections: { token: 'FORBIDDEN' },
    outcomeWhenUnbound: 'ok',
  },
  AckMessage: {
    senderKinds: ['user', 'watch'],
    payload: ({ messageId }) => ({ messageId, status: 'READ' }),
    rejections: { messageId: 'MESSAGE_NOT_FOUND' },
    // The mailbox of an unbound watch contains no messages.
    outcomeWhenUnbound: 'MESSAGE_NOT_FOUND',
  },
  ChatTextMessage: {
    senderKinds: ['user', 'watch'],
    payload: ({ conversationId, did }) => ({ clientMsgId: 'text', conversationId, text: 'Hello', did }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND' },
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  },
  ChatEmojiMessage: {
    senderKinds: ['user', 'watch'],
    payload: ({ conversationId }) => ({ clientMsgId: 'emoji', conversationId, emoji: 'HEART' }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND' },
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  },
  ChatVoiceMessage: createMediaRow('voice', { duration: 900 }),
  ChatImageMessage: createMediaRow('image', { width: 640, height: 480 }),
  ChatVideoMessage: createMediaRow('video', { width: 640, height: 480, duration: 900 }),
  HeartbeatMessage: {
    senderKinds: ['user', 'watch'],
    payload: ({ did, cid }) => ({ did, cid, battery: 50 }),
    rejections: {},
    outcomeWhenUnbound: 'ok',
  },
  LocationPointChangeMessage: {
    senderKinds: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, points: [{ ...POINT, positionTime: Date.now() }] }),
    rejections: {},
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  },
  WristwatchStartupNoticeMessage: {
    senderKinds: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, cause: 'USER' }),
    rejections: {},
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  },
  WristwatchShutdownNoticeMessage: {
    senderKinds: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, cause: 'USER' }),
    rejections: {},
    outcomeWhenUnbound: 'WATCH_UNBOUND',
  },
};
