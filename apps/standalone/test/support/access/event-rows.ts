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
