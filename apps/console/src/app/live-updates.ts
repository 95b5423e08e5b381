import type { DeliveredMessage } from '@family-watch/client';
import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { applyToHistory } from '../features/conversations/queries.js';
import type { Connection } from '../core/session/connection.js';
import type { Session } from '../core/session/session-store.js';
import { StaleQueries } from './stale-queries.js';

type MessageKind = DeliveredMessage['kind'];

/**
 * The queries that each message kind makes stale, by the first parts of their keys. This is the only place that connects
 * messages and queries.
 */
const STALE_QUERIES: Partial<Record<MessageKind, readonly QueryKey[]>> = {
  AckMessage: [['conversations', 'list']],
  AlarmClockChangeNoticeMessage: [['alarm-clocks']],
  AddFriendNoticeMessage: [['friends']],
  AskLocationPointNoticeMessage: [['locations']],
  ChatEmojiMessage: [['conversations', 'list']],
  ChatImageMessage: [['conversations', 'list']],
  ChatTextMessage: [['conversations', 'list']],
  ChatVideoMessage: [['conversations', 'list']],
  ChatVoiceMessage: [['conversations', 'list']],
  ContactsChangeNoticeMessage: [['children'], ['contacts'], ['conversations'], ['families']],
  ConversationChangeNoticeMessage: [['conversations', 'list']],
  DeviceBindStateChangeNoticeMessage: [['children'], ['watches'], ['conversations'], ['families']],
  DeviceSettingsChangeNoticeMessage: [['watch-settings']],
  LocationPointChangeMessage: [['children'], ['locations']],
  MessageCenterChangeNoticeMessage: [
    ['message-center'],
    ['sos'],
    ['families'],
    ['children'],
    ['deleted-children'],
    ['account'],
    ['payments'],
    ['fences'],
  ],
  RejectStrangerChangeNoticeMessage: [['strangers']],
  RemoteControlFindNoticeMessage: [['remote-control']],
  RemoteControlRebootNoticeMessage: [['remote-control']],
  RemoteControlShutdownNoticeMessage: [['remote-control']],
  SchoolDisableChangeNoticeMessage: [['school-times']],
  WristwatchShutdownNoticeMessage: [['watches']],
  WristwatchStartupNoticeMessage: [['watches']],
};

const ALL_QUERIES: QueryKey = [];

/** Returns whether the message may be about the role or the permissions of the person, which decide about all data. */
function mayChangeAccess(message: DeliveredMessage): boolean {
  return isCenterNotice(message) && message.payload.category === 'FAMILY';
}

function isCenterNotice(message: DeliveredMessage): message is DeliveredMessage<'MessageCenterChangeNoticeMessage'> {
  return message.kind === 'MessageCenterChangeNoticeMessage';
}

/**
 * Marks queries as stale when messages arrive, and all of them after a reconnection that missed messages. Returns
 * whether the socket is connected, and when it last was if it is not, in Unix milliseconds.
 */
export function useLiveUpdates({ gateway, lastKnown, beganOffline }: Session): Connection {
  const queries = useQueryClient();
  const [isConnected, setConnected] = useState(false);
  const [connectedAt, setConnectedAt] = useState(beganOffline ? lastKnown?.time : undefined);
  useEffect(() => {
    let isEnded = false;
    /** Whether the data of this page is from an earlier one. */
    let isLastKnown = beganOffline;
    const staleQueries = new StaleQueries(queries);
    // The client may have connected before the page was shown.
    gateway.whenConnected().then(
      () => !isEnded && setConnected(true),
      () => undefined,
    );
    const cleanups = [
      gateway.on('connected', ({ reset }) => {
        setConnected(true);
        if (!reset && !isLastKnown) {
          void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
          return;
        }
        isLastKnown = false;
        // A recall may be among the missed messages.
        void queries.resetQueries({ queryKey: ['conversations', 'history'] });
        void queries.invalidateQueries();
      }),
      gateway.on('disconnected', () => {
        setConnected(false);
        setConnectedAt(Date.now());
      }),
      gateway.onMessage('message', (message) => {
        // A long conversation must not be requested again for each of its messages.
        applyToHistory(queries, message);
        if (mayChangeAccess(message)) {
          // A page that is opened next must not show them until they are renewed.
          queries.removeQueries({ type: 'inactive' });
          staleQueries.mark([ALL_QUERIES]);
          return;
        }
        staleQueries.mark(STALE_QUERIES[message.kind] ?? []);
      }),
    ];
    return () => {
      isEnded = true;
      staleQueries.stop();
      for (const cleanup of cleanups) cleanup();
    };
  }, [gateway, queries, beganOffline]);
  return { isConnected, ...(connectedAt !== undefined && { connectedAt }) };
}
