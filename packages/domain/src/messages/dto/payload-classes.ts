import type { MessageKind } from '../contracts/message-kinds.js';
import { AckDto } from './ack.dto.js';
import { DeviceBindStateChangeDto } from './bind-state.dto.js';
import { ContactsChangeDto } from './contacts-change.dto.js';
import { HeartbeatDto } from './heartbeat.dto.js';
import { LocationChangeDto, LocationChangeAnswerDto, LocationChangeReportDto } from './location-message.dto.js';
import { WatchShutdownDto, WatchShutdownReportDto, WatchStartupDto, WatchStartupReportDto } from './watch-power.dto.js';

export type PayloadClass = new () => object;

export interface PayloadClasses {
  /** What clients send under this name. */
  inbound?: PayloadClass;
  /** What the answer holds beyond `ok` and `time`. */
  answer?: PayloadClass;
  /** What clients receive under this name. */
  outbound?: PayloadClass;
}

/** Payload classes of the kinds that are in use; the document and the access matrix are made from this table. */
export const PAYLOAD_CLASSES: Partial<Record<MessageKind, PayloadClasses>> = {
  HeartbeatMessage: { inbound: HeartbeatDto },
  AckMessage: { inbound: AckDto },
  DeviceBindStateChangeNoticeMessage: { outbound: DeviceBindStateChangeDto },
  LocationPointChangeMessage: {
    inbound: LocationChangeReportDto,
    answer: LocationChangeAnswerDto,
    outbound: LocationChangeDto,
  },
  ContactsChangeNoticeMessage: { outbound: ContactsChangeDto },
  WristwatchStartupNoticeMessage: { inbound: WatchStartupReportDto, outbound: WatchStartupDto },
  WristwatchShutdownNoticeMessage: { inbound: WatchShutdownReportDto, outbound: WatchShutdownDto },
};
