import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type {
  ContactsChangePayload,
  DeviceBindStateChangePayload,
  LocationChangePayload,
  WatchShutdownPayload,
  WatchStartupPayload,
} from '@family-watch/domain/messages/contracts/payloads';
import type { ClientToServerEvents } from '@family-watch/domain/messages/contracts/socket-events';

/** What the service delivers under a kind, where the contract has a payload for it. */
interface KnownPayloads {
  DeviceBindStateChangeNoticeMessage: DeviceBindStateChangePayload;
  LocationPointChangeMessage: LocationChangePayload;
  ContactsChangeNoticeMessage: ContactsChangePayload;
  WristwatchStartupNoticeMessage: WatchStartupPayload;
  WristwatchShutdownNoticeMessage: WatchShutdownPayload;
}

export type DeliveredPayload<Kind extends MessageKind> = Kind extends keyof KnownPayloads
  ? KnownPayloads[Kind]
  : unknown;

export type Delivered<Kind extends MessageKind = MessageKind> = MessageEnvelope<Kind, DeliveredPayload<Kind>>;

/** Events that a client sends. */
export type ClientEvent = keyof ClientToServerEvents;

export type SentPayload<Event extends ClientEvent> = Parameters<ClientToServerEvents[Event]>[0];

type AnyAnswer<Event extends ClientEvent> = Parameters<Parameters<ClientToServerEvents[Event]>[1]>[0];

/** The answer when all went well; a failed one is thrown as `ApiError`. */
export type GoodAnswerTo<Event extends ClientEvent> = Extract<AnyAnswer<Event>, { ok: true }>;
