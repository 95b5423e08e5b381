import type { MessageKind } from '../contracts/message-kinds.js';
import {
  AckDto,
  HeartbeatDto,
  HeartbeatResultDto,
  LocationChangeDto,
  LocationChangeResponseDto,
  LocationChangeReportDto,
  ReceiptDto,
  WatchShutdownDto,
  WatchShutdownReportDto,
  WatchStartupDto,
  WatchStartupReportDto,
} from './payloads.dto.js';
import {
  DeviceBindStateChangeDto,
  MessageCenterChangeDto,
  ContactsChangeDto,
  ConversationChangeDto,
  AddFriendDto,
  AskLocationPointDto,
  RemoteControlDto,
  SettingsChangeDto,
} from './notices.dto.js';
import { VideoCallInDto, VideoCallOutDto } from './video-call.dto.js';
import {
  ChatEmojiDeliveryDto,
  ChatEmojiDto,
  ChatImageDeliveryDto,
  ChatImageDto,
  ChatSentDto,
  ChatTextDeliveryDto,
  ChatTextDto,
  ChatVideoDeliveryDto,
  ChatVideoDto,
  ChatVoiceDeliveryDto,
  ChatVoiceDto,
} from './chat.dto.js';

export type PayloadClass = new () => object;

export interface PayloadClasses {
  /** Class of the payload that clients send. */
  inbound?: PayloadClass;
  /**
   * Whether invalid fields are dropped instead of rejecting the event. The response names them in `rejected`. All fields
   * of `inbound` must be optional.
   */
  dropsInvalidFields?: true;
  /** Class of the fields in the response to the client, in addition to `ok` and `time`. */
  response?: PayloadClass;
  /** Class of the payload that clients receive. */
  outbound?: PayloadClass;
}

/**
 * Payload classes of each message kind. The AsyncAPI document and the access matrix are generated from this constant.
 */
export const PAYLOAD_CLASSES: Record<MessageKind, PayloadClasses> = {
  HeartbeatMessage: { inbound: HeartbeatDto, dropsInvalidFields: true, response: HeartbeatResultDto },
  AckMessage: { inbound: AckDto, outbound: ReceiptDto },
  ChatTextMessage: { inbound: ChatTextDto, response: ChatSentDto, outbound: ChatTextDeliveryDto },
  ChatVideoMessage: { inbound: ChatVideoDto, response: ChatSentDto, outbound: ChatVideoDeliveryDto },
  ChatVoiceMessage: { inbound: ChatVoiceDto, response: ChatSentDto, outbound: ChatVoiceDeliveryDto },
  ChatEmojiMessage: { inbound: ChatEmojiDto, response: ChatSentDto, outbound: ChatEmojiDeliveryDto },
  ChatImageMessage: { inbound: ChatImageDto, response: ChatSentDto, outbound: ChatImageDeliveryDto },
  DeviceBindStateChangeNoticeMessage: { outbound: DeviceBindStateChangeDto },
  LocationPointChangeMessage: {
    inbound: LocationChangeReportDto,
    response: LocationChangeResponseDto,
    outbound: LocationChangeDto,
  },
  ContactsChangeNoticeMessage: { outbound: ContactsChangeDto },
  AddFriendNoticeMessage: { outbound: AddFriendDto },
  AlarmClockChangeNoticeMessage: { outbound: SettingsChangeDto },
  SchoolDisableChangeNoticeMessage: { outbound: SettingsChangeDto },
  WristwatchStartupNoticeMessage: { inbound: WatchStartupReportDto, outbound: WatchStartupDto },
  WristwatchShutdownNoticeMessage: { inbound: WatchShutdownReportDto, outbound: WatchShutdownDto },
  RejectStrangerChangeNoticeMessage: { outbound: SettingsChangeDto },
  MessageCenterChangeNoticeMessage: { outbound: MessageCenterChangeDto },
  VideoCallInNoticeMessage: { outbound: VideoCallInDto },
  VideoCallOutNoticeMessage: { outbound: VideoCallOutDto },
  AskLocationPointNoticeMessage: { outbound: AskLocationPointDto },
  RemoteControlShutdownNoticeMessage: { outbound: RemoteControlDto },
  RemoteControlRebootNoticeMessage: { outbound: RemoteControlDto },
  RemoteControlFindNoticeMessage: { outbound: RemoteControlDto },
  DeviceSettingsChangeNoticeMessage: { outbound: SettingsChangeDto },
  ConversationChangeNoticeMessage: { outbound: ConversationChangeDto },
};
