import type {
  ChatKind,
  ChatPayloads,
  WithConversationSeq,
  ConversationChangePayload,
} from '@family-watch/domain/messages/contracts/chat';
import type { MessageEnvelope, MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import type {
  ContactsChangePayload,
  DeviceBindStateChangePayload,
  LocationChangePayload,
  ReceiptPayload,
  WatchShutdownPayload,
  WatchStartupPayload,
  AddFriendPayload,
  AskLocationPointPayload,
  RemoteControlPayload,
  SettingsChangePayload,
} from '@family-watch/domain/messages/contracts/payloads';
import type { ClientToServerEvents } from '@family-watch/domain/messages/contracts/socket-events';
import type { VideoCallInPayload, VideoCallOutPayload } from '@family-watch/domain/messages/contracts/video-call';

type DeliveredChat = { [Kind in ChatKind]: WithConversationSeq<ChatPayloads[Kind]> };

/**
 * Payload by message kind, for kinds that the service delivers. The map does not contain kinds that only clients send.
 */
interface DeliveredPayloads extends DeliveredChat {
  AckMessage: ReceiptPayload;
  DeviceBindStateChangeNoticeMessage: DeviceBindStateChangePayload;
  LocationPointChangeMessage: LocationChangePayload;
  ContactsChangeNoticeMessage: ContactsChangePayload;
  AddFriendNoticeMessage: AddFriendPayload;
  AlarmClockChangeNoticeMessage: SettingsChangePayload;
  SchoolDisableChangeNoticeMessage: SettingsChangePayload;
  RejectStrangerChangeNoticeMessage: SettingsChangePayload;
  DeviceSettingsChangeNoticeMessage: SettingsChangePayload;
  WristwatchStartupNoticeMessage: WatchStartupPayload;
  WristwatchShutdownNoticeMessage: WatchShutdownPayload;
  MessageCenterChangeNoticeMessage: MessageCenterChangePayload;
  VideoCallInNoticeMessage: VideoCallInPayload;
  VideoCallOutNoticeMessage: VideoCallOutPayload;
  AskLocationPointNoticeMessage: AskLocationPointPayload;
  RemoteControlShutdownNoticeMessage: RemoteControlPayload;
  RemoteControlRebootNoticeMessage: RemoteControlPayload;
  RemoteControlFindNoticeMessage: RemoteControlPayload;
  ConversationChangeNoticeMessage: ConversationChangePayload;
}

export type DeliveredPayload<Kind extends MessageKind> = Kind extends keyof DeliveredPayloads
  ? DeliveredPayloads[Kind]
  : unknown;

export type DeliveredMessage<Kind extends MessageKind = MessageKind> = MessageEnvelope<Kind, DeliveredPayload<Kind>>;

/** Events that a client sends. */
export type ClientEvent = keyof ClientToServerEvents;

export type SentPayload<Event extends ClientEvent> = Parameters<ClientToServerEvents[Event]>[0];

type AnyResponseTo<Event extends ClientEvent> = Parameters<Parameters<ClientToServerEvents[Event]>[1]>[0];

/** The success response of an event; an error response is thrown as `ApiError`. */
export type SuccessResponseTo<Event extends ClientEvent> = Extract<AnyResponseTo<Event>, { ok: true }>;
