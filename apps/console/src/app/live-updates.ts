import type { DeliveredMessage } from '@family-watch/client';
import { useQueryClient } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Session } from './session/session-store.js';

type MessageKind = DeliveredMessage['kind'];

/**
 * The queries that each message kind makes stale, by the first parts of their keys. This is the only place that connects
 * messages and queries.
 */
const STALE_QUERIES: Partial<Record<MessageKind, readonly QueryKey[]>> = {
  AckMessage: [['conversations']],
  AlarmClockChangeNoticeMessage: [['alarm-clocks']],
  AddFriendNoticeMessage: [['friends']],
  AskLocationPointNoticeMessage: [['locations']],
  ChatEmojiMessage: [['conversations']],
  ChatImageMessage: [['conversations']],
  ChatTextMessage: [['conversations']],
  ChatVideoMessage: [['conversations']],
  ChatVoiceMessage: [['conversations']],
  ContactsChangeNoticeMessage: [['children'], ['contacts'], ['conversations']],
  ConversationChangeNoticeMessage: [['conversations']],
  DeviceBindStateChangeNoticeMessage: [['children'], ['watches'], ['conversations'], ['families']],
  DeviceSettingsChangeNoticeMessage: [['watch-settings']],
  LocationPointChangeMessage: [['children'], ['locations']],
  MessageCenterChangeNoticeMessage: [['message-center']],
  RejectStrangerChangeNoticeMessage: [['strangers']],
  RemoteControlFindNoticeMessage: [['remote-control']],
  RemoteControlRebootNoticeMessage: [['remote-control']],
  RemoteControlShutdownNoticeMessage: [['remote-control']],
  SchoolDisableChangeNoticeMessage: [['school-times']],
  WristwatchShutdownNoticeMessage: [['watches']],
  WristwatchStartupNoticeMessage: [['watches']],
};

/**
 * Marks queries as stale when messages arrive, and all of them after a reconnection that missed messages. Returns
 * whether the socket is connected.
 */
export function useLiveUpdates({ gateway }: Session): boolean {
  const queries = useQueryClient();
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const cleanups = [
      gateway.on('connected', ({ reset }) => {
        setConnected(true);
        if (reset) void queries.invalidateQueries();
      }),
      gateway.on('disconnected', () => setConnected(false)),
      gateway.onMessage('message', ({ kind }) => {
        for (const queryKey of STALE_QUERIES[kind] ?? []) void queries.invalidateQueries({ queryKey });
      }),
    ];
    return () => {
      for (const cleanup of cleanups) cleanup();
    };
  }, [gateway, queries]);
  return isConnected;
}
