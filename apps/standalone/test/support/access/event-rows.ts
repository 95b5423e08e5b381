import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Ids } from './ids.js';

/** What a socket event may name. */
export interface EventIds extends Ids {
  messageId: string;
  token: string;
}

type EventOutcome = 'ok' | ErrorReason;

/** One event of the access matrix that clients may send. */
export interface EventRow {
  from: readonly ('user' | 'watch')[];
  /** A good payload. Where the sender is what counts it names others, which must be without effect (A17). */
  payload(ids: EventIds): object;
  /** Each id that the event names, and what a foreign or unknown one is answered. */
  refuses: Partial<Record<keyof EventIds, EventOutcome>>;
  /** What a watch hears that is bound to no child. */
  unbound: EventOutcome;
}

const point = { latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1 };

/** `contentID` is waited for before it is unknown: the event that tells of it may be on its way. */
function mediaRow(payload: object): EventRow {
  return {
    from: ['user', 'watch'],
    payload: ({ conversationId, contentID }) => ({ clientMsgId: 'media', conversationId, contentID, ...payload }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND', contentID: 'CONTENT_NOT_FOUND' },
    unbound: 'WATCH_UNBOUND',
  };
}

export const EVENT_ROWS: Readonly<Record<string, EventRow>> = {
  token: {
    from: ['user', 'watch'],
    payload: ({ token }) => ({ token }),
    refuses: { token: 'FORBIDDEN' },
    unbound: 'ok',
  },
  AckMessage: {
    from: ['user', 'watch'],
    payload: ({ messageId }) => ({ messageId, status: 'READ' }),
    refuses: { messageId: 'MESSAGE_NOT_FOUND' },
    // It has no message.
    unbound: 'MESSAGE_NOT_FOUND',
  },
  ChatTextMessage: {
    from: ['user', 'watch'],
    payload: ({ conversationId, did }) => ({ clientMsgId: 'text', conversationId, text: 'Hello', did }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND' },
    unbound: 'WATCH_UNBOUND',
  },
  ChatEmojiMessage: {
    from: ['user', 'watch'],
    payload: ({ conversationId }) => ({ clientMsgId: 'emoji', conversationId, emoji: 'HEART' }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND' },
    unbound: 'WATCH_UNBOUND',
  },
  ChatVoiceMessage: mediaRow({ duration: 900 }),
  ChatImageMessage: mediaRow({ width: 640, height: 480 }),
  ChatVideoMessage: mediaRow({ width: 640, height: 480, duration: 900 }),
  HeartbeatMessage: {
    from: ['user', 'watch'],
    payload: ({ did, cid }) => ({ did, cid, battery: 50 }),
    refuses: {},
    unbound: 'ok',
  },
  LocationPointChangeMessage: {
    from: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, points: [{ ...point, positionTime: Date.now() }] }),
    refuses: {},
    unbound: 'WATCH_UNBOUND',
  },
  WristwatchStartupNoticeMessage: {
    from: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, cause: 'USER' }),
    refuses: {},
    unbound: 'WATCH_UNBOUND',
  },
  WristwatchShutdownNoticeMessage: {
    from: ['watch'],
    payload: ({ did, cid }) => ({ did, cid, cause: 'USER' }),
    refuses: {},
    unbound: 'WATCH_UNBOUND',
  },
};
